"""The whole house on the real database, for tests that go from a bundle to its report."""

import asyncio
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from app.bootstrap import House, open_house
from app.cli import main
from app.investigation import Outcome
from app.replay import replay, write
from app.settings import Settings
from bundle.bundle import open_bundle
from store.embedded import EmbeddedServer

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "incidents"
FISHBONE = Path(sys.executable).with_name("fishbone")
MANIFEST = """\
schema: fishbone/bundle@1
id: small
title: orders are slow
fired_at: '2026-03-01T12:00:00Z'
window: {start: '2026-03-01T11:00:00Z', end: '2026-03-01T12:05:00Z'}
timezone: UTC
"""
ALERT = json.dumps(
    {
        "version": "4",
        "status": "firing",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": "OrdersSlow", "severity": "critical", "service": "web"},
                "annotations": {"summary": "orders are slow"},
                "startsAt": "2026-03-01T12:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": "a1",
            }
        ],
    }
)
Make = Callable[..., Path]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Inside = Callable[..., "Said"]


@dataclass
class Running:
    """A house that stands for all tests of a session, on a loop of its own."""

    runner: asyncio.Runner
    dsn: str
    data: Path
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    houses: dict[str, House] = field(default_factory=dict)

    def fresh_database(self) -> str:
        """The address of an empty database on the same server."""
        return fresh_database(self.dsn)

    def house(self, **settings: Any) -> House:
        """The house with these settings; the same ones give the same house."""
        key = json.dumps(settings, sort_keys=True)
        if key not in self.houses:
            opened = open_house(Settings(data=self.data, **{"database_url": self.dsn, **settings}))
            self.houses[key] = self.runner.run(self.stack.enter_async_context(opened))
        return self.houses[key]

    def replay(self, path: Path, out: Path | None = None, *, from_files: bool = False, **settings: Any) -> Outcome:
        """The bundle through the graph; written to `out` where it is given."""
        house = self.house(**settings)
        with open_bundle(path) as bundle:
            outcome = self.runner.run(replay(house, bundle, from_files=from_files))
            if out is not None:
                write(outcome, bundle, house, out)
        return outcome


def fresh_database(dsn: str) -> str:
    """The address of an empty database on the server of this one."""
    name = f"acceptance_{uuid.uuid4().hex}"
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"create database {name}".encode())
    return make_conninfo(dsn, dbname=name)


@pytest.fixture(scope="session")
def running(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The house over an empty database of its own."""
    with asyncio.Runner() as runner:
        standing = Running(runner, fresh_database(server.dsn), tmp_path_factory.mktemp("data"))
        yield standing
        runner.run(standing.stack.aclose())


@pytest.fixture
def cli(running: Running, tmp_path: Path) -> Cli:
    """Runs the real command line, outside the checkout, on the database of `running`."""

    def run(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        given = {k: v for k, v in os.environ.items() if not k.startswith(("FISHBONE_", "PYTHON"))}
        given |= {"FISHBONE_DATABASE_URL": running.dsn, "FISHBONE_DATA": str(running.data), "NO_COLOR": "1"}
        return subprocess.run(
            [FISHBONE, *arguments], env=given | environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
        )

    return run


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def inside(running: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Inside:
    """Runs the command line in this process: the same way as `cli`, without the start of a process."""

    def run(*arguments: str | Path, **environment: str) -> Said:
        given = {"FISHBONE_DATABASE_URL": running.dsn, "FISHBONE_DATA": str(running.data)} | environment
        with monkeypatch.context() as patch:
            for name, value in given.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["fishbone", *map(str, arguments)])
            try:
                main()
                code = 0
            except SystemExit as exc:
                code = exc.code if isinstance(exc.code, int) else int(bool(exc.code))
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return run


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a bundle with these files beside a sound incident.yaml and alert.json; None leaves a file out."""

    def made(files: dict[str, bytes | str | None] | None = None, name: str = "small") -> Path:
        root = tmp_path / name
        content = {"incident.yaml": MANIFEST, "alert.json": ALERT, **(files or {})}
        root.mkdir()
        for path, data in content.items():
            if data is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(data.encode() if isinstance(data, str) else data)
        return root

    return made
