"""Silences: what a person asked not to hear of for a while."""

from collections.abc import Sequence
from datetime import datetime

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow

from domain.codec import from_plain
from domain.silence import Matcher, Silence
from store.queries import queries
from store.text import storable, storable_json


async def add(
    connection: AsyncConnection[DictRow],
    matchers: Sequence[Matcher],
    starts_at: datetime,
    ends_at: datetime,
    comment: str = "",
) -> int:
    """Keep a silence, and give its id."""
    values = {
        "matchers": storable_json(list(matchers)), "starts_at": starts_at, "ends_at": ends_at,
        "comment": storable(comment),
    }  # fmt: skip
    row = await (await connection.execute(queries("silences")["add"], values)).fetchone()
    assert row is not None  # an insert that returns always has a row
    return int(row["id"])


async def active(connection: AsyncConnection[DictRow], now: datetime) -> tuple[Silence, ...]:
    """Those that hold now."""
    return read(await (await ask_active(connection, now)).fetchall())


async def ask_active(connection: AsyncConnection[DictRow], now: datetime) -> AsyncCursor[DictRow]:
    """Ask for those that hold now; the answer is read later."""
    return await connection.execute(queries("silences")["active"], {"now": now})


def read(rows: Sequence[DictRow]) -> tuple[Silence, ...]:
    """Rows as silences."""
    return tuple(from_plain(Silence, row) for row in rows)


async def recent(connection: AsyncConnection[DictRow], limit: int = 50) -> tuple[Silence, ...]:
    """Those that last longest, and those that were the last."""
    cursor = await connection.execute(queries("silences")["recent"], {"limit": limit})
    return read(await cursor.fetchall())


async def finish(connection: AsyncConnection[DictRow], silence: int, now: datetime) -> bool:
    """End a silence now. False where none of this id holds."""
    cursor = await connection.execute(queries("silences")["finish"], {"id": silence, "now": now})
    return await cursor.fetchone() is not None
