"""The pool of connections; what psycopg raises becomes our own errors here."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import Final, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from domain.errors import BadConfiguration, StoreUnavailable
from store.queries import queries

log = logging.getLogger(__name__)
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # each try of each connection; what comes of it we say once
T = TypeVar("T")
Act = Callable[[AsyncConnection[DictRow]], Awaitable[T]]
# What is raised when a connection is no more; the last where we were stopped for longer than a transaction may idle.
_GONE: Final = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.IdleInTransactionSessionTimeout)
_WAIT_SECONDS: Final = 20.0  # for a connection, a restart of the server included
_LONGEST_PAUSE: Final = 2.0  # seconds between two tries
_TIME_HOLDS: Final = 10.0  # seconds that a time once asked for is counted on from


class Database:
    """The database, as everything above the store sees it."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], dsn: str) -> None:
        self._pool = pool
        self.dsn = dsn
        self._time: tuple[datetime, float] | None = None  # the database's, and when it was that by our monotonic clock
        self.revive: Callable[[], None] = _nobody_can  # starts a server of ours again that has died

    @classmethod
    async def open(cls, dsn: str, *, size: int = 10, wait_seconds: float = _WAIT_SECONDS) -> "Database":
        """Connect. Raises StoreUnavailable when the server does not answer in time, or the address is none."""
        at = _whereabouts(dsn)
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
            raise StoreUnavailable(f"the database{at} does not answer: {_first_line(exc)}") from exc
        return cls(pool, dsn)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[DictRow]]:
        """A connection in autocommit; `async with connection.transaction()` makes several statements one."""
        try:
            async with self._pool.connection() as connection:
                yield connection
        except _GONE as exc:
            raise StoreUnavailable(f"the database went away: {_first_line(exc)}") from exc

    async def now(self) -> datetime:
        """The database's time: one for all hosts, and none of them can set it wrong. Raises StoreUnavailable."""
        if self._time is None or monotonic() - self._time[1] > _TIME_HOLDS:
            async with self.connection() as connection:
                row = await (await connection.execute(queries("database")["time"])).fetchone()
            assert row is not None  # a select of one value always has a row
            self._time = row["now"], monotonic()
        time, at = self._time
        return time + timedelta(seconds=monotonic() - at)

    async def patiently(self, act: Act[T], seconds: float) -> T:
        """Do something that may be done twice on a connection; `again` says how long."""

        async def acted() -> T:
            async with self.connection() as connection:
                return await act(connection)

        return await self.again(acted, seconds)

    async def again(self, act: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Do something that may be done twice; while the database is away, wait for it as long as `seconds`.

        Raises StoreUnavailable.
        """
        deadline, pause = monotonic() + seconds, 0.05
        while True:
            try:
                return await act()
            except StoreUnavailable as exc:
                if monotonic() + pause > deadline:
                    raise
                log.warning("%s; trying again", exc)
            await self.wake(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def wake(self, pause: float) -> None:
        """Wait a little for a database that is away, after starting it again where that is ours to do."""
        try:
            await asyncio.to_thread(self.revive)
        except (StoreUnavailable, BadConfiguration) as exc:
            log.warning("the database cannot be started again: %s", exc)
        await asyncio.sleep(pause)

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()


async def _configure(connection: AsyncConnection[DictRow]) -> None:
    await connection.execute(queries("database")["configure"])


def _whereabouts(dsn: str) -> str:
    """Which server is meant, without the password."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:  # its text may hold the password
        raise StoreUnavailable("no address of a database: postgresql://USER:PASSWORD@HOST:PORT/NAME is one") from None
    return f" at {parts.get('host') or 'localhost'}:{parts.get('port') or 5432}"


def _first_line(exc: Exception) -> str:
    return (str(exc).strip().splitlines() or [type(exc).__name__])[0]


def _nobody_can() -> None:
    """The server is not ours to start."""
