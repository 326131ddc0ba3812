"""Investigations: one run of the graph over an incident, who has it, and how it ended."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.errors import FencedOff
from store.queries import queries
from store.text import storable

_FORGET: Final = ("forget_checkpoints", "forget_checkpoint_blobs", "forget_checkpoint_writes")


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
    job: int | None = None,
) -> int:
    """Begin an investigation of a kept incident, and give its version: one more than the incident's last."""
    sql = queries("investigations")
    values = {
        "id": investigation, "incident_id": incident_id, "started_at": started_at, "contract": contract,
        "fingerprint": fingerprint, "job": job,
    }  # fmt: skip
    async with connection.transaction():
        await connection.execute(sql["lock_incident"], values)
        row = await (await connection.execute(sql["start"], values)).fetchone()
    # an insert that returns always has a row
    assert row is not None
    version: int = row["version"]
    return version


async def take(connection: AsyncConnection[DictRow], investigation: str, lease_seconds: float) -> int:
    """Become the one whose writes are taken, and give the token that they must carry. Raises FencedOff at its end."""
    values = {"id": investigation, "lease_seconds": lease_seconds}
    row = await (await connection.execute(queries("investigations")["take"], values)).fetchone()
    if row is None:
        raise FencedOff(f"the investigation {investigation} has ended")
    token: int = row["fencing_token"]
    return token


async def hold(connection: AsyncConnection[DictRow], investigation: str, token: int) -> None:
    """Keep the token valid to the end of the transaction. Raises FencedOff when it is not the row's current one."""
    values = {"id": investigation, "token": token}
    if await (await connection.execute(queries("investigations")["hold"], values)).fetchone() is None:
        raise FencedOff(f"the investigation {investigation} is no longer this worker's")


async def release(connection: AsyncConnection[DictRow], investigation: str, token: int) -> None:
    """Let go without an end: whoever takes it next counts no crash. Raises FencedOff."""
    values = {"id": investigation, "token": token}
    if await (await connection.execute(queries("investigations")["release"], values)).fetchone() is None:
        raise FencedOff(f"the investigation {investigation} is no longer this worker's")


async def forget_checkpoints(connection: AsyncConnection[DictRow], investigation: str) -> None:
    """Remove what an ended run would have gone on from."""
    for query in _FORGET:
        await connection.execute(queries("investigations")[query], {"id": investigation})


async def notified(connection: AsyncConnection[DictRow], investigation: str) -> None:
    """Write down that its report was sent."""
    await connection.execute(queries("investigations")["notified"], {"id": investigation})


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
