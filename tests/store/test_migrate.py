"""The schema is brought up to date once, by whoever comes first."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from domain.errors import BadConfiguration
from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import FOLDER, migrate, migrations


@pytest.fixture
async def empty(server: EmbeddedServer) -> AsyncIterator[str]:
    """The address of a database without any schema."""
    async with await psycopg.AsyncConnection.connect(server.dsn, autocommit=True) as admin:
        await admin.execute("create database empty")
        yield make_conninfo(server.dsn, dbname="empty")
        await admin.execute("drop database empty with (force)")


async def _migrate(dsn: str, folder: Path = FOLDER) -> tuple[str, ...]:
    database = await Database.open(dsn)
    try:
        async with database.connection() as connection:
            return await migrate(connection, folder)
    finally:
        await database.close()


async def test_a_second_run_does_nothing(empty: str) -> None:
    assert await _migrate(empty) == tuple(step.name for step in migrations())
    assert await _migrate(empty) == ()


async def test_eight_at_once_apply_each_step_once(empty: str) -> None:
    done = await asyncio.gather(*(_migrate(empty) for _ in range(8)))
    assert sorted(done, reverse=True) == [tuple(step.name for step in migrations()), *[()] * 7]


async def test_a_changed_file_is_refused_by_name(empty: str, tmp_path: Path) -> None:
    step = tmp_path / "0001_first.sql"
    step.write_text("create table a (b int)")
    assert await _migrate(empty, tmp_path) == ("0001_first",)
    changed = tmp_path / "changed"
    changed.mkdir()
    (changed / "0001_first.sql").write_text("create table a (b bigint)")
    with pytest.raises(BadConfiguration, match="0001_first has changed"):
        await _migrate(empty, changed)


async def test_a_database_of_a_newer_fishbone_is_refused(empty: str, tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_text("create table a (b int)")
    await _migrate(empty, tmp_path)
    (older := tmp_path / "older").mkdir()
    with pytest.raises(BadConfiguration, match="newer fishbone: 0001_first"):
        await _migrate(empty, older)


async def test_a_step_that_fails_leaves_nothing_behind_and_what_came_before_stays(empty: str, tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_text("create table a (b int)")
    (tmp_path / "0002_broken.sql").write_text("create table c (d int); select 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        await _migrate(empty, tmp_path)
    (mended := tmp_path / "mended").mkdir()
    (mended / "0001_first.sql").write_text("create table a (b int)")
    (mended / "0002_broken.sql").write_text("create table c (d int)")
    assert await _migrate(empty, mended) == ("0002_broken",)


async def test_a_missing_extension_is_told_to_the_operator(empty: str, tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_text("create extension no_such_thing")
    with pytest.raises(BadConfiguration, match="vector and pg_trgm"):
        await _migrate(empty, tmp_path)
