"""Reports: one per incident and version, as JSON and as markdown."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.codec import Json
from store.queries import queries
from store.text import storable, storable_json


@dataclass(frozen=True)
class StoredReport:
    """A report as it was written."""

    incident_id: str
    version: int
    investigation: str
    report: Json  # report.json
    markdown: str  # report.md
    created_at: datetime


@dataclass(frozen=True)
class ReportHead:
    """What a list shows of a report."""

    incident_id: str
    version: int
    investigation: str
    title: str
    verdict: str | None
    confidence: float | None
    entity: str | None
    fault: str | None
    created_at: datetime


async def save(
    connection: AsyncConnection[DictRow],
    incident_id: str,
    version: int,
    investigation: str,
    report: Json,
    markdown: str,
) -> bool:
    """Keep the report of this version. False, and nothing changed, where there is one already."""
    cursor = await connection.execute(
        queries("reports")["save"],
        {
            "incident_id": incident_id, "version": version, "investigation": investigation,
            "report": storable_json(report), "markdown": storable(markdown),
        },
    )  # fmt: skip
    return cursor.rowcount == 1


async def latest(connection: AsyncConnection[DictRow], incident_id: str) -> StoredReport | None:
    """The report of an incident with the highest version."""
    return await _one(connection, "latest", incident_id=storable(incident_id))


async def get(connection: AsyncConnection[DictRow], incident_id: str, version: int) -> StoredReport | None:
    """The report of one version."""
    return await _one(connection, "get", incident_id=storable(incident_id), version=version)


async def of_investigation(connection: AsyncConnection[DictRow], investigation: str) -> StoredReport | None:
    """The last report that an investigation wrote."""
    return await _one(connection, "of_investigation", investigation=storable(investigation))


async def recent(connection: AsyncConnection[DictRow], limit: int = 50) -> tuple[ReportHead, ...]:
    """The heads of the latest report of each incident, those that were written last first."""
    cursor = await connection.execute(queries("reports")["recent"], {"limit": limit})
    return tuple(ReportHead(**row) for row in await cursor.fetchall())


async def _one(connection: AsyncConnection[DictRow], query: str, **values: Any) -> StoredReport | None:
    row = await (await connection.execute(queries("reports")[query], values)).fetchone()
    return None if row is None else StoredReport(**row)
