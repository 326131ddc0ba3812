"""The queue: procrastinate on our database, and the loop that keeps a worker at it."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from langgraph.errors import GraphDrained
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from app.bootstrap import House
from app.evidence import Targets, targets
from app.heart import Heart
from app.thrift import Rest, give_back
from app.worker import Desk, Notify, tell_nobody, work
from domain.errors import FencedOff, RetryLater
from graph.context import Notice, unheard
from store import jobs
from store.database import Database
from store.jobs import QUEUE, QUEUES, TASK, Fetched

log = logging.getLogger(__name__)
LONGEST_PAUSE: Final = 60.0  # seconds between two tries of a job
CONNECTIONS: Final = 3  # of procrastinate's own, beside the one that listens


class OwnJobs(JobManager):
    """procrastinate's jobs, but a worker that lost one cannot end or return it; and a database that is away is waited
    for."""

    def __init__(self, connector: Any, database: Database, patience: float) -> None:
        super().__init__(connector)
        self._database = database
        self._patience = patience

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """End the job."""
        own = _fetched(job)
        await self._database.patiently(
            lambda c: jobs.finish(c, own, status.value, delete=delete_job), self._patience
        )  # fmt: skip

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,  # noqa: ARG002  # the signature is procrastinate's
        queue: str | None = None,  # noqa: ARG002
        lock: str | None = None,  # noqa: ARG002
    ) -> None:
        """Return the job to the queue."""
        own = _fetched(job)
        # decided by our clock a moment ago; whose clock that is must not count
        pause = max(0.0, (retry_at - datetime.now(UTC)).total_seconds()) if retry_at else 0.0
        await self._database.patiently(lambda c: jobs.give_back(c, own, min(pause, LONGEST_PAUSE)), self._patience)


class ComesBack(BaseRetryStrategy):
    """A job that was drained comes back at once, one that must wait after a while, longer each time."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When it comes back; None: never."""
        now = datetime.now(UTC)
        if isinstance(exception, RetryLater):
            return RetryDecision(retry_at=now + timedelta(seconds=min(2.0**job.attempts, LONGEST_PAUSE)))
        drained = isinstance(exception, GraphDrained | asyncio.CancelledError)
        return RetryDecision(retry_at=now) if drained else None


class Attendant(Worker):
    """procrastinate's worker, which stops when one of its side tasks fails: also where there is no periodic task."""

    async def _periodic_deferrer(self) -> None:
        # its watch over the side tasks ends with the first that returns, as this one would
        await asyncio.Event().wait()


@asynccontextmanager
async def open_queue(database: Database, patience: float) -> AsyncIterator[App]:
    """The queue over a migrated database."""
    app = App(connector=PsycopgConnector(conninfo=database.dsn, min_size=1, max_size=CONNECTIONS, name="queue"))
    app.job_manager = OwnJobs(app.connector, database, patience)
    async with app.open_async():
        yield app


async def run_worker(
    house: House,
    concurrency: int,
    stop: asyncio.Event,
    *,
    targets: Targets = targets,
    notify: Notify = tell_nobody,
    watch: Notice = unheard,
) -> None:
    """Work until told to stop; then let the current steps end, and return what is not done to the queue."""
    with Heart(house.database, house.settings) as heart:
        desk, rest = Desk(house, heart, stop, targets, notify, watch), Rest(lambda: _rest(house))
        async with open_queue(house.database, house.settings.patience_seconds) as app:
            _add_task(app, desk, rest)
            queues = QUEUES if house.models else QUEUES[:1]
            while not stop.is_set():
                await asyncio.gather(*(_attend(app, desk, queue, concurrency, stop) for queue in queues))
                await house.database.wake(0 if stop.is_set() else house.settings.heartbeat_seconds)
            rest.cancel()


def _rest(house: House) -> None:
    house.index.rest()
    give_back()


def _add_task(app: App, desk: Desk, rest: Rest) -> None:
    @app.task(name=TASK, queue=QUEUE, pass_context=True, retry=ComesBack())
    async def investigate(context: JobContext, incident: str, after: str = "") -> None:
        job = context.job.id
        assert job is not None  # a fetched job has an id
        try:
            with rest.working():
                await work(desk, incident, job, after)
        except FencedOff as exc:
            log.info("%s", exc)


async def _attend(app: App, desk: Desk, queue: str, concurrency: int, stop: asyncio.Event) -> None:
    """One stay at a queue: it ends when told to stop, or when the database is away."""
    given = desk.house.settings
    worker = Attendant(
        app, queues=[queue], concurrency=concurrency, delete_jobs="successful", install_signal_handlers=False,
        fetch_job_polling_interval=given.poll_seconds, update_heartbeat_interval=given.heartbeat_seconds,
        stalled_worker_timeout=3 * given.lease_seconds, abort_job_polling_interval=60.0,
    )  # fmt: skip

    async def leave() -> None:
        await stop.wait()
        # set only now: a worker that stops because the database is away waits for its runs, as they wait for it
        worker.shutdown_graceful_timeout = given.drain_seconds
        worker.stop()  # type: ignore[no-untyped-call]
        desk.drain()

    leaving = asyncio.create_task(leave())
    try:
        await worker.run()  # type: ignore[no-untyped-call]
    except ConnectorException as exc:
        log.warning("the queue is away: %s", exc)
    finally:
        leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving


def _fetched(job: Job) -> Fetched:
    assert job.id is not None  # a fetched job has an id
    return Fetched(job.id, job.worker_id, job.attempts)
