"""Alerts that an incident's report does not explain, moved to an incident of their own: once for each incident."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow

from domain.codec import Json
from store import alerts
from store.queries import queries
from store.text import storable

_SUFFIX: Final = "-rest"  # of the name of the incident that has them then
Connection = AsyncConnection[DictRow]


@dataclass(frozen=True)
class Kept:
    """An alert of an incident as it is stored."""

    id: int
    fingerprint: str
    firing: bool
    alert: Mapping[str, Json]


@dataclass(frozen=True)
class Rest:
    """What an incident's report leaves over."""

    origin: str  # the incident
    moved: Sequence[Kept]
    title: str
    fired_at: datetime
    keys: Sequence[str]  # what keeps further alerts together with the moved ones
    dropped: Sequence[str]  # of those what the others of the incident are not about
    why: str


async def lock(connection: Connection) -> None:
    """Be the one who decides where alerts belong until the end of the transaction, as intake is."""
    await connection.execute(queries("alerts")["lock"])


async def members(connection: Connection, incident_id: str) -> tuple[Kept, ...]:
    """The alerts of an incident, the first to come first."""
    cursor = await _cursor(connection, "members", id=incident_id)
    return tuple(Kept(**row) for row in await cursor.fetchall())


async def may_split(connection: Connection, incident_id: str, since: datetime, most: int) -> bool:
    """Whether it came in by webhook, is no rest itself, and its rest is not closed; and no storm opens too many."""
    row = await (await _cursor(connection, "may_split", id=incident_id, since=since)).fetchone()
    if row is None:
        return False
    return bool(row["other_is_open"]) if row["other"] else row["opened"] < most


async def move(connection: Connection, rest: Rest, now: datetime) -> str:
    """Move the alerts, and give the incident that has them now. The caller holds the lock."""
    to, ids = f"{rest.origin}{_SUFFIX}", [one.id for one in rest.moved]
    await alerts.open_one(connection, to, rest.title, rest.fired_at, now)
    await _cursor(connection, "split_off", id=to, origin=rest.origin)
    await _cursor(connection, "make_room", ids=ids, to=to)
    await _cursor(connection, "move_log", ids=ids, to=to, origin=rest.origin, why=storable(rest.why))
    await _cursor(connection, "move", ids=ids, to=to)
    await _cursor(connection, "grown", id=to, now=now)
    await _cursor(connection, "drop_keys", id=rest.origin, keys=list(rest.dropped))
    await alerts.keep_together(connection, to, rest.keys, rest.why)
    await alerts.close_settled(connection, rest.origin, now)
    return to


async def _cursor(connection: Connection, query: str, **values: Any) -> AsyncCursor[DictRow]:
    return await connection.execute(queries("splits")[query], values)
