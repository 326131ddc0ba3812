"""Investigations: one run of the graph over an incident, and how it ended."""

from dataclasses import dataclass
from datetime import datetime

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.queries import queries
from store.text import storable


@dataclass(frozen=True)
class Outcome:
    """How an investigation ended."""

    status: str  # done | failed | incomplete
    ended_at: datetime
    reason: str = ""  # why it failed or stayed incomplete
    verdict: str | None = None  # root_cause | healthy | undetermined
    confidence: float | None = None
    entity: str | None = None  # of the root cause
    fault: str | None = None


@dataclass(frozen=True)
class StoredInvestigation:
    """A row of the table."""

    id: str  # the trace id everywhere
    incident_id: str
    version: int  # from 1, within the incident
    status: str  # running | done | failed | incomplete
    reason: str
    verdict: str | None
    confidence: float | None
    entity: str | None
    fault: str | None
    contract: str
    fingerprint: str  # of the code
    fencing_token: int  # rises with each worker that takes the row over
    started_at: datetime
    ended_at: datetime | None


async def start(
    connection: AsyncConnection[DictRow],
    investigation: str,
    incident_id: str,
    started_at: datetime,
    *,
    contract: str = "",
    fingerprint: str = "",
) -> int:
    """Begin an investigation of a kept incident, and give its version: one more than the incident's last."""
    sql = queries("investigations")
    values = {
        "id": investigation, "incident_id": incident_id, "started_at": started_at, "contract": contract,
        "fingerprint": fingerprint,
    }  # fmt: skip
    async with connection.transaction():
        await connection.execute(sql["lock_incident"], values)
        row = await (await connection.execute(sql["start"], values)).fetchone()
    # an insert that returns always has a row
    assert row is not None
    version: int = row["version"]
    return version


async def finish(connection: AsyncConnection[DictRow], investigation: str, outcome: Outcome) -> None:
    """Write down how it ended."""
    await connection.execute(
        queries("investigations")["finish"],
        {
            "id": investigation, "status": outcome.status, "ended_at": outcome.ended_at,
            "reason": storable(outcome.reason), "verdict": outcome.verdict, "confidence": outcome.confidence,
            "entity": outcome.entity and storable(outcome.entity), "fault": outcome.fault,
        },
    )  # fmt: skip


async def get(connection: AsyncConnection[DictRow], investigation: str) -> StoredInvestigation | None:
    """One investigation, None where there is none of this id."""
    cursor = await connection.execute(queries("investigations")["get"], {"id": storable(investigation)})
    row = await cursor.fetchone()
    return None if row is None else StoredInvestigation(**row)


async def of_incident(connection: AsyncConnection[DictRow], incident_id: str) -> tuple[StoredInvestigation, ...]:
    """The investigations of an incident, the latest version first."""
    cursor = await connection.execute(queries("investigations")["of_incident"], {"incident_id": storable(incident_id)})
    return tuple(StoredInvestigation(**row) for row in await cursor.fetchall())
