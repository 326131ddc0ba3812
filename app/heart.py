"""A worker's heartbeat: a thread with its own connection, so that work on the event loop cannot stop it."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import psycopg
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from app.settings import Settings
from domain.errors import BadConfiguration, StoreUnavailable
from store.claims import Held
from store.database import Database
from store.jobs import retry_stalled
from store.leases import renew

log = logging.getLogger(__name__)
GONE_MILLISECONDS: Final = 10_000  # a server that acknowledges nothing for so long is away
STUCK_LEASES: Final = 15  # an event loop that stands still for so many leases' time will not go on


class Heart:
    """Renews the leases of what its worker has, and returns the jobs of lost workers to the queue."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._held: dict[str, int] = {}  # investigation -> token
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)
        self._loop = asyncio.get_running_loop()
        self._heard = monotonic()  # when the event loop last went round

    def __enter__(self) -> "Heart":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=self._settings.lease_seconds)

    @contextmanager
    def keeps(self, held: Held) -> Iterator[None]:
        """Renew the lease meanwhile."""
        self._held[held.investigation] = held.token
        try:
            yield
        finally:
            if self._held.get(held.investigation) == held.token:
                del self._held[held.investigation]

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._connect() as connection:
                    self._beat(connection)
            except psycopg.OperationalError as exc:
                log.warning("no heartbeat: the database is away: %s", str(exc).strip().splitlines()[0])
                self._revive()
                self._stop.wait(self._settings.heartbeat_seconds)

    def _connect(self) -> Connection[DictRow]:
        return psycopg.connect(
            self._database.dsn, autocommit=True, row_factory=dict_row, connect_timeout=5,
            tcp_user_timeout=GONE_MILLISECONDS, options="-c idle_in_transaction_session_timeout=10s",
        )  # fmt: skip

    def _revive(self) -> None:
        """Start a server of ours that has died: nobody else notices it as soon."""
        try:
            self._database.revive()
        except (StoreUnavailable, BadConfiguration) as exc:
            log.warning("the database cannot be started again: %s", exc)

    def _beat(self, connection: Connection[DictRow]) -> None:
        lease = self._settings.lease_seconds
        while not self._stop.is_set():
            self._loop.call_soon_threadsafe(self._hear)
            held = dict(self._held)
            if monotonic() - self._heard < STUCK_LEASES * lease and (
                lost := held.keys() - renew(connection, held, lease)
            ):
                log.warning("lost to another worker: %s", ", ".join(sorted(lost)))
            try:
                if stalled := retry_stalled(connection, lease):
                    log.warning("%d jobs of lost workers are back in the queue", stalled)
            except psycopg.errors.UniqueViolation:
                log.info("a job came in for an incident whose worker was lost; looking again at the next beat")
            self._stop.wait(self._settings.heartbeat_seconds)

    def _hear(self) -> None:
        self._heard = monotonic()
