"""Workers as real processes over a database of their own."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from app.bootstrap import open_house
from app.settings import load_settings
from store.embedded import EmbeddedServer
from tests.faults.ward import Ward, comparable


@pytest.fixture(scope="session")
def data() -> Iterator[Path]:
    """A data folder with the runbooks indexed; its server runs until the end of the session."""
    memory = Path("/dev/shm")
    roomy = str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2**30 else None
    with tempfile.TemporaryDirectory(prefix="fb-", dir=roomy) as folder, indexed(Path(folder)) as data:
        yield data


@contextmanager
def indexed(folder: Path) -> Iterator[Path]:
    """The folder with a database in it and the runbooks in that; its server runs meanwhile."""
    with EmbeddedServer.enter(folder, named=True) as server:
        asyncio.run(_index(str(folder)))
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute("alter system set fsync = off")
            admin.execute("select pg_reload_conf()")
        yield folder


async def _index(folder: str) -> None:
    async with open_house(load_settings(data=folder)):
        pass


@contextmanager
def nurturing(**environment: str) -> Iterator["subprocess.Popen[str]"]:
    """The program that forks workers, with more in its environment."""
    program = Path(__file__).with_name("nursery.py")
    nursery = subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert nursery.stdout is not None
    assert nursery.stdout.readline() == "ready\n"
    yield nursery
    nursery.communicate()


@pytest.fixture(scope="session")
def nursery() -> Iterator["subprocess.Popen[str]"]:
    """Workers as they are."""
    with nurturing() as nursery:
        yield nursery


@pytest.fixture
def ward(data: Path, nursery: "subprocess.Popen[str]", tmp_path: Path) -> Iterator[Ward]:
    """An empty queue, and workers that end with the test."""
    ward = Ward(data, tmp_path, nursery)
    with psycopg.connect(ward.dsn, autocommit=True) as connection:
        connection.execute("truncate incident, procrastinate_jobs, procrastinate_workers, tool_call_log cascade")
        connection.execute("truncate checkpoints, checkpoint_blobs, checkpoint_writes")
    yield ward
    ward.stop()


@pytest.fixture(scope="session")
def undisturbed(data: Path, nursery: "subprocess.Popen[str]", tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of a run that nothing happened to, without what differs from run to run."""
    ward = Ward(data, tmp_path_factory.mktemp("undisturbed"), nursery)
    ward.bring(1)
    ward.worker()
    ward.until_settled()
    ward.stop()
    return comparable(ward.reports()[0]["report"])
