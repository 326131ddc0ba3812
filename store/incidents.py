"""Incidents: what came in and is to be investigated."""

from dataclasses import dataclass
from datetime import datetime

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.alert import Alert, Incident, Window
from domain.codec import from_plain
from store.queries import queries
from store.text import storable, storable_json


@dataclass(frozen=True)
class StoredIncident:
    """An incident with what became of it."""

    incident: Incident
    status: str  # open | investigating | closed
    created_at: datetime  # when it came in


async def save(connection: AsyncConnection[DictRow], incident: Incident) -> None:
    """Keep an incident; one that is there already takes the new description and keeps its status."""
    await connection.execute(
        queries("incidents")["save"],
        {
            "id": incident.id, "title": storable(incident.title), "fired_at": incident.fired_at,
            "window_start": incident.window.start, "window_end": incident.window.end,
            "timezone": storable(incident.timezone), "alerts": storable_json(incident.alerts),
            "notes": storable(incident.notes), "gaps": storable_json(incident.gaps),
        },
    )  # fmt: skip


async def set_status(connection: AsyncConnection[DictRow], incident_id: str, status: str) -> None:
    """Move an incident on: open, investigating or closed."""
    await connection.execute(queries("incidents")["set_status"], {"id": incident_id, "status": status})


async def get(connection: AsyncConnection[DictRow], incident_id: str) -> StoredIncident | None:
    """One incident, None where there is none of this id."""
    cursor = await connection.execute(queries("incidents")["get"], {"id": storable(incident_id)})
    row = await cursor.fetchone()
    return None if row is None else _from_row(row)


async def recent(connection: AsyncConnection[DictRow], limit: int = 50) -> tuple[StoredIncident, ...]:
    """The incidents that came in last, the latest first."""
    cursor = await connection.execute(queries("incidents")["recent"], {"limit": limit})
    return tuple(_from_row(row) for row in await cursor.fetchall())


def _from_row(row: DictRow) -> StoredIncident:
    incident = Incident(
        id=row["id"],
        title=row["title"],
        fired_at=row["fired_at"],
        window=Window(row["window_start"], row["window_end"]),
        timezone=row["timezone"],
        alerts=tuple(from_plain(Alert, alert) for alert in row["alerts"]),
        notes=row["notes"],
        gaps=tuple(row["gaps"]),
    )
    return StoredIncident(incident, row["status"], row["created_at"])
