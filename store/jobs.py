"""The queue's jobs, where procrastinate's own calls do not reach: inside a caller's transaction, or fenced."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection, Connection
from psycopg.errors import UniqueViolation
from psycopg.rows import DictRow

from store.queries import queries

QUEUE: Final = "fishbone"
TASK: Final = "investigate"
QUEUES: Final = (QUEUE, "fishbone-models")  # the second: second passes, which take minutes
_NAMES: Final = {"queue": QUEUE, "task": TASK}


@dataclass(frozen=True)
class Fetched:
    """A job as its worker fetched it; what it says of the job counts only while the row says the same."""

    id: int
    worker: int | None
    attempts: int


@dataclass(frozen=True)
class Line:
    """How one line of the queue stands."""

    waiting: int
    running: int
    oldest_seconds: float  # how long the first of the waiting jobs has been there


@dataclass(frozen=True)
class Counts:
    """How the queue stands."""

    lines: Mapping[str, Line]  # by name: first passes, and second ones
    set_aside: int  # incidents that crashed their workers
    workers: int  # that were heard of within a lease's time

    @property
    def waiting(self) -> int:
        """In all lines."""
        return sum(line.waiting for line in self.lines.values())

    @property
    def running(self) -> int:
        """In all lines."""
        return sum(line.running for line in self.lines.values())


async def enqueue(connection: AsyncConnection[DictRow], *incident_ids: str) -> int:
    """Defer one job for each incident, in the caller's transaction, and say how many there are now more. Where one
    waits already it will see all that the caller commits."""
    cursor = await connection.execute(queries("jobs")["enqueue"], {"incidents": list(incident_ids)})
    # a worker that came by while the row was locked has skipped it
    await connection.execute(queries("jobs")["wake"], _NAMES)
    row = await cursor.fetchone()
    return int(row["enqueued"]) if row else 0


async def finish(connection: AsyncConnection[DictRow], job: Fetched, status: str, *, delete: bool) -> None:
    """End a job, if it is still this worker's."""
    await connection.execute(queries("jobs")["finish"], {**_own(job), "status": status, "delete": delete})


async def give_back(connection: AsyncConnection[DictRow], job: Fetched, seconds: float = 0.0) -> None:
    """Return a job to the queue, to come back after so long, if it is still this worker's."""
    try:
        await _give_back(connection, job, seconds)
    except UniqueViolation:  # another was deferred meanwhile, and is committed: now it is seen
        await _give_back(connection, job, seconds)


async def _give_back(connection: AsyncConnection[DictRow], job: Fetched, seconds: float) -> None:
    async with connection.transaction():
        await connection.execute(queries("jobs")["give_back"], {**_own(job), "seconds": seconds})
        for queue in QUEUES:
            await connection.execute(queries("jobs")["wake"], {"queue": queue})


def retry_stalled(connection: Connection[DictRow], lease_seconds: float) -> int:
    """Return the jobs of lost workers to the queue, and say how many there were. Waits for nobody."""
    sql = queries("jobs")
    with connection.transaction():
        stalled = connection.execute(sql["stalled"], {**_NAMES, "lease_seconds": lease_seconds}).fetchall()
        for job in stalled:
            waits = connection.execute(sql["waits"], {"lock": job["queueing_lock"]}).fetchone()
            connection.execute(sql["drop" if waits else "retry"], {"id": job["id"]})
        for queue in QUEUES if stalled else ():
            connection.execute(sql["wake"], {"queue": queue})
    return len(stalled)


async def counts(connection: AsyncConnection[DictRow], lease_seconds: float) -> Counts:
    """How the queue stands."""
    sql = queries("jobs")
    found = await connection.execute(sql["lines"], {"task": TASK, "queues": list(QUEUES)})
    lines = {row.pop("line"): Line(**row) for row in await found.fetchall()}
    row = await (await connection.execute(sql["counts"], {"lease_seconds": lease_seconds})).fetchone()
    assert row is not None  # a select of counts always has a row
    return Counts(lines, **row)


async def set_aside(connection: AsyncConnection[DictRow]) -> tuple[tuple[str, str, int], ...]:
    """Incidents that are not tried again by themselves: id, title, crashes."""
    cursor = await connection.execute(queries("jobs")["set_aside"])
    return tuple((row["id"], row["title"], row["crashes"]) for row in await cursor.fetchall())


def _own(job: Fetched) -> dict[str, Any]:
    return {"id": job.id, "worker": job.worker, "attempts": job.attempts}
