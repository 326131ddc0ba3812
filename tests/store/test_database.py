"""The pool, and what happens when the server goes away."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from domain.errors import StoreUnavailable
from store.database import Database
from store.embedded import EmbeddedServer


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await Database.open(f"host={tmp_path} dbname=none", wait_seconds=0.3)


async def test_the_pool_recovers_from_a_restart_of_the_server(
    short_folder: Path, kill_postmaster: Callable[[Path], None]
) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        database = await Database.open(server.dsn)
        async with database.connection() as connection:
            await connection.execute("create table kept as select generate_series(1, 50000) as n")
        with pytest.raises(StoreUnavailable, match="went away"):
            async with database.connection() as connection:
                kill_postmaster(short_folder)
                await connection.execute("select pg_sleep(60)")
        before = server.dsn
        server.ensure()
        assert server.dsn == before
        async with database.connection() as connection:
            row = await (await connection.execute("select count(*) as n from kept")).fetchone()
        assert row == {"n": 50000}
        await database.close()


async def test_a_connection_that_the_server_cut_off_is_replaced(database: Database) -> None:
    async with database.connection() as connection:
        row = await (await connection.execute("select pg_backend_pid() as pid")).fetchone()
        assert row is not None
    async with await psycopg.AsyncConnection.connect(database.dsn, autocommit=True) as admin:
        await admin.execute("select pg_terminate_backend(%s, 5000)", (row["pid"],))
    async with database.connection() as connection:
        again = await (await connection.execute("select 1 as one")).fetchone()
    assert again == {"one": 1}


async def test_a_mistake_in_a_statement_is_not_taken_for_an_outage(database: Database) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable):
        async with database.connection() as connection:
            await connection.execute("select * from no_such_table")


async def test_stamps_come_back_in_utc_whatever_the_server_prefers(dsn: str) -> None:
    name = conninfo_to_dict(dsn)["dbname"]
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as admin:
        await admin.execute(f"alter database {name} set timezone to 'Asia/Tokyo'".encode())
    database = await Database.open(dsn)
    async with database.connection() as connection:
        row = await (await connection.execute("select now() as now")).fetchone()
    await database.close()
    assert row is not None
    assert row["now"].utcoffset() == timedelta(0)


@pytest.mark.parametrize("dsn", ["hunter2-is-no-address", "postgresql://u:hunter2@[bad/x"])
async def test_what_is_no_address_of_a_database_is_said_at_once_and_not_repeated(dsn: str) -> None:
    with pytest.raises(StoreUnavailable, match="no address") as told:
        await Database.open(dsn)
    assert "hunter2" not in str(told.value)
