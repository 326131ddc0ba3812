"""Tells people: a first word within seconds of the alert, the report when it is there. Nothing here stops a run.

What is to be told stands in the database until it has arrived; any web process or worker may send it.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from app.channels import Sender, senders
from app.messages import Message, first_word, last_word, report_word
from app.settings import Settings
from domain.errors import NotDelivered, StoreUnavailable
from store import incidents, notifications, reports
from store.database import Database
from store.notifications import FIRST, RESOLVED, Due
from store.reports import StoredReport

log = logging.getLogger(__name__)
AT_ONCE: Final = 20
RECENT_SECONDS: Final = 600.0  # an incident that came in earlier needs no first word any more
_LEASE_SECONDS: Final = 90.0  # more than the longest time-out of a channel
_FIRST_PAUSE: Final = 2.0  # seconds before the second try; doubled for each further one
_LONGEST_PAUSE: Final = 300.0


class Herald:
    """Sends what is to be sent. One runs in each web process and worker; the database gives each its share."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database, self._settings = database, settings
        self._senders: dict[str, Sender] = senders(settings)
        self._last = [name for name, channel in sorted(settings.notify.items()) if channel.says_resolved]
        self._first = [name for name, channel in sorted(settings.notify.items()) if channel.says_first]
        self._woken = asyncio.Event()

    async def tell(self, report: StoredReport) -> None:
        """The report is to be sent by every channel. Raises StoreUnavailable: then the worker tells it again."""
        if not self._senders:
            return
        channels = list(self._senders)
        await self._database.patiently(
            lambda c: notifications.put(c, report.incident_id, report.version, channels),
            self._settings.patience_seconds,
        )
        self._woken.set()

    async def run(self) -> None:
        """Send, until cancelled. A database that is away is waited for."""
        while self._senders:
            try:
                more = await self.send_due()
            except StoreUnavailable as exc:
                log.warning("notifications wait: %s", exc)
                more = False
            if not more:
                await self._pause()

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.notify_poll_seconds):
                await self._woken.wait()
        self._woken.clear()

    async def send_due(self) -> bool:
        """One round; whether there may be more. Raises StoreUnavailable."""
        async with self._database.connection() as connection:
            if self._first:
                await notifications.announce(connection, self._first, RECENT_SECONDS)
            if self._last:
                await notifications.announce_end(connection, self._last, RECENT_SECONDS)
            due = await notifications.due(connection, list(self._senders), AT_ONCE, _LEASE_SECONDS)
        await asyncio.gather(*(self._deliver(one) for one in due))
        return len(due) == AT_ONCE

    async def _deliver(self, one: Due) -> None:
        try:
            async with asyncio.timeout(self._settings.notify[one.channel].timeout_seconds + 1):
                message = await self._message(one)
                if message is not None:
                    await self._senders[one.channel].send(message)
        except TimeoutError:
            await self._failed(one, NotDelivered("no answer in time", again=True))
        except NotDelivered as exc:
            await self._failed(one, exc)
        else:
            await self._database.patiently(lambda c: notifications.sent(c, one), _LEASE_SECONDS / 2)
            log.info("%s: the %s went out by %s", one.incident_id, _named(one), one.channel)

    async def _failed(self, one: Due, why: NotDelivered) -> None:
        given_up = not why.again or one.attempts >= self._settings.notify_attempts
        pause = None if given_up else min(_FIRST_PAUSE * 2.0 ** (one.attempts - 1), _LONGEST_PAUSE)
        log.warning(
            "%s: the %s did not go out by %s (attempt %d, %s): %s", one.incident_id, _named(one), one.channel,
            one.attempts, "given up" if given_up else f"again in {pause:g} s", why,
        )  # fmt: skip
        await self._database.patiently(lambda c: notifications.not_sent(c, one, str(why), pause), _LEASE_SECONDS / 2)

    async def _message(self, one: Due) -> Message | None:
        """What is to be said; None where there is nothing any more."""
        base = self._settings.public_url
        async with self._database.connection() as connection:
            if one.what in (FIRST, RESOLVED):
                incident = await incidents.get(connection, one.incident_id)
                word = first_word if one.what == FIRST else last_word
                return word(incident, base) if incident else None
            report = await reports.get(connection, one.incident_id, one.version)
            return report_word(report, base) if report else None


@asynccontextmanager
async def heralding(database: Database, settings: Settings) -> AsyncIterator[Herald]:
    """A herald that works meanwhile. What is left at the end is sent by another, or after the next start."""
    herald = Herald(database, settings)
    running = asyncio.create_task(herald.run(), name="herald")
    try:
        yield herald
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


def _named(one: Due) -> str:
    named = {FIRST: "first word", RESOLVED: "end"}
    return named.get(one.what, f"report v{one.version}")
