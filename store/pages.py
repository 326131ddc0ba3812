"""What pages show, across the tables: the list of incidents, and what their runs say."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.events import Event
from store.queries import queries
from store.text import storable

PER_PAGE: Final = 50


@dataclass(frozen=True)
class Asked:
    """Which incidents a list shows; None: all."""

    status: str | None = None
    verdict: str | None = None
    text: str | None = None  # in title, id, entity or fault
    page: int = 1


@dataclass(frozen=True)
class Line:
    """One incident in the list, with its last finished run."""

    id: str
    title: str
    status: str  # open | investigating | closed | failed
    fired_at: datetime
    created_at: datetime
    storm: bool
    version: int | None
    verdict: str | None
    confidence: float | None
    entity: str | None
    fault: str | None
    runs: bool
    alerts: int
    firing: int


async def incidents(connection: AsyncConnection[DictRow], asked: Asked) -> tuple[tuple[Line, ...], bool]:
    """A page of the list, the latest first, and whether there are more."""
    values = {
        "status": asked.status, "verdict": asked.verdict, "text": storable(asked.text) if asked.text else None,
        "limit": PER_PAGE + 1, "offset": PER_PAGE * (asked.page - 1),
    }  # fmt: skip
    rows = await (await connection.execute(queries("pages")["incidents"], values)).fetchall()
    return tuple(Line(**row) for row in rows[:PER_PAGE]), len(rows) > PER_PAGE


async def events(
    connection: AsyncConnection[DictRow], incident_id: str, after: int = 0, limit: int = 500
) -> tuple[Event, ...]:
    """What the runs of an incident said after an event, in order."""
    values = {"incident_id": storable(incident_id), "id": after, "limit": limit}
    cursor = await connection.execute(queries("pages")["events"], values)
    return tuple(Event(**row) for row in await cursor.fetchall())


async def busy(connection: AsyncConnection[DictRow], incident_id: str) -> bool:
    """Whether a run of the incident goes on or waits."""
    cursor = await connection.execute(queries("pages")["busy"], {"incident_id": storable(incident_id)})
    row = await cursor.fetchone()
    return row is not None and bool(row["busy"])
