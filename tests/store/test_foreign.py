"""The tables of procrastinate and of the checkpointer are added once, whoever comes first."""

import asyncio
import subprocess
import sys
import uuid

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import migrate

_STRICT = (
    "from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED as on; raise SystemExit(0 if on else 1)"
)


async def test_six_processes_that_migrate_an_empty_database_at_once_all_succeed(server: EmbeddedServer) -> None:
    name = f"empty_{uuid.uuid4().hex}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"create database {name}".encode())
        databases = [await Database.open(make_conninfo(server.dsn, dbname=name)) for _ in range(6)]
        applied = await asyncio.gather(*(_migrated(database) for database in databases))
        assert sum(bool(names) for names in applied) == 1
        async with databases[0].connection() as connection:
            assert await migrate(connection) == ()
            for table in (b"procrastinate_jobs", b"checkpoints", b"event"):
                await connection.execute(b"select from " + table)
        for database in databases:
            await database.close()
        admin.execute(f"drop database {name} with (force)".encode())


async def _migrated(database: Database) -> tuple[str, ...]:
    async with database.connection() as connection:
        return await migrate(connection)


@pytest.mark.parametrize("first", ["graph.build", "agents.react", "store.migrate", "app.queue"])
def test_checkpoints_bring_back_only_types_that_a_state_names_whatever_is_imported_first(first: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import {first}; {_STRICT}"], check=False, timeout=60)
    assert done.returncode == 0
