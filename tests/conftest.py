"""The real database for every test that asks for it: one embedded server, one fresh database a test."""

import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from psycopg.conninfo import make_conninfo

from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import migrate

_TEMPLATE = "fishbone_template"
settings.register_profile("untimed")  # how long an example takes depends on what else the machine does
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """An embedded server of this test session's own."""
    with (
        tempfile.TemporaryDirectory(prefix="fishbone-test-") as folder,
        EmbeddedServer.enter(Path(folder), named=True) as server,
    ):
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            # nobody reads a test's database after a power cut, and a database for each test costs a quarter
            admin.execute("alter system set fsync = off")
            admin.execute("select pg_reload_conf()")
        yield server


@pytest.fixture
async def dsn(server: EmbeddedServer) -> AsyncIterator[str]:
    """The address of a fresh, migrated database."""
    name = f"test_{uuid.uuid4().hex}"
    async with await psycopg.AsyncConnection.connect(server.dsn, autocommit=True) as admin:
        await _make_template(admin, server.dsn)
        await admin.execute(f"create database {name} template {_TEMPLATE} strategy file_copy".encode())
        yield make_conninfo(server.dsn, dbname=name)
        await admin.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
async def database(dsn: str) -> AsyncIterator[Database]:
    """An opened, migrated, empty database."""
    database = await Database.open(dsn)
    yield database
    await database.close()


async def _make_template(admin: psycopg.AsyncConnection[tuple[object, ...]], dsn: str) -> None:
    found = await admin.execute("select 1 from pg_database where datname = %s", (_TEMPLATE,))
    if await found.fetchone():
        return
    await admin.execute(f"create database {_TEMPLATE}".encode())
    template = await Database.open(make_conninfo(dsn, dbname=_TEMPLATE))
    async with template.connection() as connection:
        await migrate(connection)
    await template.close()
