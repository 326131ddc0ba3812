"""Forgets what became of alerts long ago: the rows of the alert table, a few at a time, beside a worker's work."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from app.settings import Settings
from domain.errors import StoreUnavailable
from store import alerts
from store.database import Database

log = logging.getLogger(__name__)
AT_ONCE: Final = 2000  # rows of one statement, so that nobody waits for it
PAUSE_SECONDS: Final = 3600.0  # between two rounds


async def prune(database: Database, keep_seconds: float) -> int:
    """Forget all that is older, and say how many rows there were. Raises StoreUnavailable."""
    gone, some = 0, AT_ONCE
    while some == AT_ONCE:
        async with database.connection() as connection:
            some = await alerts.prune(connection, keep_seconds, AT_ONCE)
        gone += some
    return gone


@asynccontextmanager
async def pruning(database: Database, settings: Settings) -> AsyncIterator[None]:
    """Prune meanwhile, now and then. A database that is away is asked again at the next round."""
    running = asyncio.create_task(_run(database, settings.keep_alerts_seconds), name="prune")
    try:
        yield
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def _run(database: Database, keep_seconds: float) -> None:
    while True:
        try:
            if gone := await prune(database, keep_seconds):
                log.info("%d rows of alerts older than %.0f s are gone", gone, keep_seconds)
        except StoreUnavailable as exc:
            log.warning("nothing is pruned: %s", exc)
        await asyncio.sleep(PAUSE_SECONDS)
