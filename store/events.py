"""Events: what a run says while it goes on. Pages and progress read them, from any point on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.codec import Json
from domain.errors import FencedOff
from store.queries import queries
from store.text import storable, storable_json


@dataclass(frozen=True)
class Event:
    """Something that happened in an investigation."""

    id: int  # rises
    investigation: str
    at: datetime
    kind: str  # taken | resumed | stage | agent_started | tool_called | agent_done | report
    data: Json


async def append(connection: AsyncConnection[DictRow], investigation: str, kind: str, data: Json, token: int) -> None:
    """Add one event. Raises FencedOff when the token is not the row's current one."""
    await append_all(connection, investigation, [(kind, data)], token)


async def append_all(
    connection: AsyncConnection[DictRow], investigation: str, said: Sequence[tuple[str, Json]], token: int
) -> None:
    """Add events, in order. Raises FencedOff when the token is not the row's current one."""
    values = {
        "investigation": investigation, "token": token, "kinds": [storable(kind) for kind, _ in said],
        "data": [storable_json(data) for _, data in said],
    }  # fmt: skip
    row = await (await connection.execute(queries("events")["append"], values)).fetchone()
    if said and (row is None or not row["told"]):
        raise FencedOff(f"the investigation {investigation} is no longer this worker's")


async def since(
    connection: AsyncConnection[DictRow], investigation: str, after: int = 0, limit: int = 1000
) -> tuple[Event, ...]:
    """The events after one, in order."""
    values = {"investigation": storable(investigation), "id": after, "limit": limit}
    cursor = await connection.execute(queries("events")["since"], values)
    return tuple(Event(**row) for row in await cursor.fetchall())
