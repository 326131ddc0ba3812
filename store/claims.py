"""A worker's claim on an incident: which investigation it is to run, and whether it goes on with one."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store import investigations, passes
from store.queries import queries

CHANGED: Final = "its worker was lost, and the incident or the code has changed since"
GAVE_WAY: Final = "the incident has changed, and is looked at anew"


@dataclass(frozen=True)
class Asked:
    """What a worker wants to run, and what it is ready to go on with."""

    incident_id: str
    job: int
    investigation: str  # the id, should it be a new one
    contract: str
    fingerprint: str  # of its code: what other code began is begun anew
    lease_seconds: float
    most_crashes: int  # so many workers lost, and the incident is set aside
    after: str = ""  # the investigation whose second pass the job is for; empty: a first pass


@dataclass(frozen=True)
class Held:
    """An investigation that this worker has."""

    incident_id: str
    investigation: str
    version: int
    token: int  # every write carries it
    started_at: datetime
    goes_on: bool  # another worker began it
    after: str = ""  # the first pass, where this is the second
    hopeless: str = ""  # why the second pass is to be given up at once


class Nothing(StrEnum):
    """Why there is nothing to run."""

    UNKNOWN = "there is no such incident"
    SET_ASIDE = "the incident has crashed its workers and is set aside"
    DONE = "the job's report is written"
    UNTOLD = "the job's report is written, but nobody was told"
    OUTDATED = "the report that a model was to look at is no longer the latest"


async def claim(connection: AsyncConnection[DictRow], asked: Asked) -> Held | Nothing:
    """Take the incident's running investigation over, or begin one; all in one transaction."""
    async with connection.transaction():
        sql, values = queries("investigations"), {"incident_id": asked.incident_id}
        incident = await (await connection.execute(sql["lock_incident"], values)).fetchone()
        if incident is None:
            return Nothing.UNKNOWN
        last = await (await connection.execute(sql["last_of"], values)).fetchone()
        if asked.after:
            return await _second(connection, asked, incident, last)
        own = await (await connection.execute(sql["of_job"], {**values, "job": asked.job})).fetchone()
        if own is not None and own["status"] != "running":
            return _done(own)
        if last is not None and last["status"] == "running" and last["after"] is None:
            return await _take_over(connection, asked, incident, last)
        if last is not None and last["status"] == "running":  # a model's: it gives way to what has changed
            await _end(connection, last["id"], investigations.Outcome("incomplete", datetime.now(UTC), GAVE_WAY))
            await _count(connection, asked.incident_id, 0)  # the workers that were lost over it are not the analyst's
        return Nothing.SET_ASIDE if incident["status"] == "failed" else await _begin(connection, asked, incident["now"])


def _done(run: DictRow) -> Nothing:
    untold = run["status"] == "done" and run["notified_at"] is None
    return Nothing.UNTOLD if untold else Nothing.DONE


async def _second(
    connection: AsyncConnection[DictRow], asked: Asked, incident: DictRow, last: DictRow | None
) -> Held | Nothing:
    """A second pass, begun or taken over; none where another report has come since."""
    if last is None or asked.after not in (last["id"], last["after"]):
        return Nothing.OUTDATED
    if last["after"] is None:
        known = await passes.handed(connection, asked.after) is not None
        return await _begin(connection, asked, incident["now"]) if known else Nothing.OUTDATED
    if last["status"] != "running":
        return _done(last)
    crashes = incident["crashes"] + last["leased"]
    await _count(connection, asked.incident_id, crashes)
    same = last["job"] == asked.job and (last["contract"], last["fingerprint"]) == (asked.contract, asked.fingerprint)
    if crashes < asked.most_crashes and not same:
        await _end(connection, last["id"], investigations.Outcome("incomplete", datetime.now(UTC), CHANGED))
        return await _begin(connection, asked, incident["now"])
    token = await investigations.take(connection, last["id"], asked.lease_seconds)
    hopeless = f"{crashes} workers were lost over it" if crashes >= asked.most_crashes else ""
    return Held(
        asked.incident_id, last["id"], last["version"], token, last["started_at"], goes_on=True, after=asked.after,
        hopeless=hopeless,
    )  # fmt: skip


async def _take_over(
    connection: AsyncConnection[DictRow], asked: Asked, incident: DictRow, last: DictRow
) -> Held | Nothing:
    """Somebody began it. Who has a lease and is not there any more has crashed."""
    crashes = incident["crashes"] + last["leased"]
    await _count(connection, asked.incident_id, crashes)
    if crashes >= asked.most_crashes:
        await _set_aside(connection, asked.incident_id, last, f"{crashes} workers were lost over it")
        return Nothing.SET_ASIDE
    if last["job"] == asked.job and (last["contract"], last["fingerprint"]) == (asked.contract, asked.fingerprint):
        token = await investigations.take(connection, last["id"], asked.lease_seconds)
        return Held(asked.incident_id, last["id"], last["version"], token, last["started_at"], goes_on=True)
    await _end(connection, last["id"], investigations.Outcome("incomplete", datetime.now(UTC), CHANGED))
    return await _begin(connection, asked, incident["now"])


async def _begin(connection: AsyncConnection[DictRow], asked: Asked, started: datetime) -> Held:
    version = await investigations.start(
        connection, asked.investigation, asked.incident_id, started, contract=asked.contract,
        fingerprint=asked.fingerprint, job=asked.job,
    )  # fmt: skip
    token = await investigations.take(connection, asked.investigation, asked.lease_seconds)
    if asked.after:
        await passes.follow(connection, asked.investigation, asked.after)
    else:
        await passes.forget(connection, asked.incident_id)
        await connection.execute(queries("investigations")["begun"], {"incident_id": asked.incident_id})
    return Held(asked.incident_id, asked.investigation, version, token, started, goes_on=False, after=asked.after)


async def failed(connection: AsyncConnection[DictRow], held: Held, most_crashes: int, reason: str) -> bool:
    """A run ended in an error of ours: it counts as a crash. True when the incident is set aside for it, or the second
    pass is to be given up.

    Raises FencedOff.
    """
    async with connection.transaction():
        sql, values = queries("investigations"), {"incident_id": held.incident_id}
        incident = await (await connection.execute(sql["lock_incident"], values)).fetchone()
        await investigations.release(connection, held.investigation, held.token)
        crashes = (incident["crashes"] if incident else 0) + 1
        await _count(connection, held.incident_id, crashes)
        if crashes < most_crashes:
            return False
        if held.after:
            return True
        await _set_aside(connection, held.incident_id, {"id": held.investigation}, reason)
        return True


async def forgive(connection: AsyncConnection[DictRow], incident_id: str) -> bool:
    """Count crashes from 0 again, for an incident that was set aside or has its report. False for an unknown one."""
    cursor = await connection.execute(queries("investigations")["forgive"], {"incident_id": incident_id})
    return await cursor.fetchone() is not None


async def ended(connection: AsyncConnection[DictRow], held: Held, outcome: investigations.Outcome) -> None:
    """The run has its outcome: in the transaction that keeps the report."""
    await _end(connection, held.investigation, outcome)
    if held.after:
        await passes.forget(connection, held.incident_id)
    await forgive(connection, held.incident_id)
    await connection.execute(queries("investigations")["ended"], {"incident_id": held.incident_id})


async def _count(connection: AsyncConnection[DictRow], incident_id: str, crashes: int) -> None:
    values = {"incident_id": incident_id, "crashes": crashes}
    await connection.execute(queries("investigations")["count_crashes"], values)


async def _set_aside(connection: AsyncConnection[DictRow], incident_id: str, last: DictRow, reason: str) -> None:
    await _end(connection, last["id"], investigations.Outcome("failed", datetime.now(UTC), reason))
    await connection.execute(queries("investigations")["set_aside"], {"incident_id": incident_id})


async def _end(connection: AsyncConnection[DictRow], investigation: str, outcome: investigations.Outcome) -> None:
    await investigations.finish(connection, investigation, outcome)
    await investigations.forget_checkpoints(connection, investigation)
