"""Tables of libraries in our database: procrastinate's and the checkpointer's. Applied under the lock of migrate."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from langgraph.checkpoint.postgres.base import MIGRATIONS
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.errors import BadConfiguration
from store.queries import queries

# Building an index beside its use waits for all that wait for our lock; these tables are still empty.
_BESIDE: Final = " CONCURRENTLY"


async def is_complete(connection: AsyncConnection[DictRow]) -> bool:
    """Whether nothing is missing."""
    return await _has_queue(connection) and await _checkpoint_version(connection) >= len(MIGRATIONS) - 1


async def add_foreign(connection: AsyncConnection[DictRow]) -> None:
    """Add what is missing."""
    if not await _has_queue(connection):
        async with connection.transaction():
            await connection.execute(_queue_schema())  # not idempotent: hence the look before
    for version in range(await _checkpoint_version(connection) + 1, len(MIGRATIONS)):
        async with connection.transaction():
            await connection.execute(MIGRATIONS[version].replace(_BESIDE, "").encode())
            await connection.execute(queries("foreign")["record_checkpoint_version"], {"version": version})


async def _has_queue(connection: AsyncConnection[DictRow]) -> bool:
    row = await (await connection.execute(queries("foreign")["has_queue"])).fetchone()
    return row is not None and bool(row["found"])


async def _checkpoint_version(connection: AsyncConnection[DictRow]) -> int:
    row = await (await connection.execute(queries("foreign")["has_checkpoints"])).fetchone()
    if row is None or not row["found"]:
        return -1
    row = await (await connection.execute(queries("foreign")["checkpoint_version"])).fetchone()
    return -1 if row is None else int(row["version"])


def _queue_schema() -> bytes:
    # found, not imported: what only reads the database needs no queue
    spec = find_spec("procrastinate")
    if spec is None or spec.origin is None:
        raise BadConfiguration("the package procrastinate is not installed")
    return (Path(spec.origin).parent / "sql" / "schema.sql").read_bytes()
