"""Notifications: what is to be told by which channel. A row is there until it has arrived, whoever is killed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.queries import queries
from store.text import storable

FIRST: Final = "first"
REPORT: Final = "report"
RESOLVED: Final = "resolved"


@dataclass(frozen=True)
class Due:
    """One notification that is to be sent now."""

    incident_id: str
    what: str  # first | report | resolved
    version: int  # of the report
    channel: str
    attempts: int  # this one included


@dataclass(frozen=True)
class Told:
    """What became of one notification."""

    incident_id: str
    what: str
    version: int
    channel: str
    state: str  # waiting | sent | failed
    attempts: int
    error: str
    created_at: datetime
    sent_at: datetime | None


async def announce(connection: AsyncConnection[DictRow], channels: Sequence[str], seconds: float) -> None:
    """A first word, by these channels, for each incident that came in within so many seconds and has no report."""
    await connection.execute(queries("notifications")["announce"], {"channels": list(channels), "seconds": seconds})


async def announce_end(connection: AsyncConnection[DictRow], channels: Sequence[str], seconds: float) -> None:
    """A last word, by these channels, for each incident whose alerts were all resolved within so many seconds."""
    values = {"channels": list(channels), "seconds": seconds}
    await connection.execute(queries("notifications")["announce_end"], values)


async def put(connection: AsyncConnection[DictRow], incident_id: str, version: int, channels: Sequence[str]) -> None:
    """The report of this version is to be sent by these channels; a second time changes nothing."""
    values = {"incident_id": incident_id, "version": version, "channels": list(channels)}
    await connection.execute(queries("notifications")["put"], values)


async def due(
    connection: AsyncConnection[DictRow], channels: Sequence[str], limit: int, lease_seconds: float
) -> tuple[Due, ...]:
    """What is to be sent now. Whoever got it must say what became of it within the lease, or it is sent again."""
    values = {"channels": list(channels), "limit": limit, "lease_seconds": lease_seconds}
    cursor = await connection.execute(queries("notifications")["due"], values)
    found = (Due(**row) for row in await cursor.fetchall())
    return tuple(sorted(found, key=lambda one: (one.incident_id, one.what, one.version, one.channel)))


async def sent(connection: AsyncConnection[DictRow], one: Due) -> None:
    """It has arrived."""
    await connection.execute(queries("notifications")["sent"], _key(one))


async def not_sent(connection: AsyncConnection[DictRow], one: Due, error: str, pause: float | None) -> None:
    """It has not arrived; it is tried again after so many seconds, or with None never."""
    values = {**_key(one), "error": storable(error), "pause": pause}
    await connection.execute(queries("notifications")["not_sent"], values)


async def of_incident(connection: AsyncConnection[DictRow], incident_id: str) -> tuple[Told, ...]:
    """What was told of an incident, in order."""
    cursor = await connection.execute(queries("notifications")["of_incident"], {"incident_id": storable(incident_id)})
    return tuple(Told(**row) for row in await cursor.fetchall())


def _key(one: Due) -> dict[str, object]:
    return {"incident_id": one.incident_id, "what": one.what, "version": one.version, "channel": one.channel}
