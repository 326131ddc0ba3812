"""The pool of connections; what psycopg raises becomes our own errors here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from domain.errors import StoreUnavailable
from store.queries import queries

_WAIT_SECONDS: Final = 20.0  # for a connection, a restart of the server included


class Database:
    """The database, as everything above the store sees it."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], dsn: str) -> None:
        self._pool = pool
        self.dsn = dsn

    @classmethod
    async def open(cls, dsn: str, *, size: int = 10, wait_seconds: float = _WAIT_SECONDS) -> "Database":
        """Connect. Raises StoreUnavailable when the server does not answer in time."""
        pool = AsyncConnectionPool[AsyncConnection[DictRow]](
            dsn,
            connection_class=AsyncConnection[DictRow],
            # nothing is prepared: statements are few, and a pooler in between would not stand it
            kwargs={"autocommit": True, "row_factory": dict_row, "prepare_threshold": None},
            configure=_configure,
            min_size=1,
            max_size=size,
            timeout=wait_seconds,
            # without it each connection that a restart of the server killed costs one failed call
            check=AsyncConnectionPool.check_connection,
            open=False,
            name="fishbone",
        )
        try:
            await pool.open(wait=True, timeout=wait_seconds)
        except psycopg.OperationalError as exc:
            await pool.close()
            raise StoreUnavailable(f"the database does not answer: {_first_line(exc)}") from exc
        return cls(pool, dsn)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[DictRow]]:
        """A connection in autocommit; `async with connection.transaction()` makes several statements one."""
        try:
            async with self._pool.connection() as connection:
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError) as exc:
            raise StoreUnavailable(f"the database went away: {_first_line(exc)}") from exc

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()


async def _configure(connection: AsyncConnection[DictRow]) -> None:
    await connection.execute(queries("database")["configure"])


def _first_line(exc: Exception) -> str:
    return (str(exc).strip().splitlines() or [type(exc).__name__])[0]
