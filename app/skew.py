"""Hosts whose clocks disagree: the database's time is everybody's, and what a machine stamps by its own is told."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final

from domain.alert import Incident, Window
from store.database import Database

TOLERATED: Final = timedelta(seconds=10)


async def steady_clock(database: Database, patience: float) -> Callable[[], datetime]:
    """The database's time, counted on from now: it does not jump, whatever becomes of this machine's clock."""
    base = await database.again(database.now, patience)
    at = monotonic()
    return lambda: base + timedelta(seconds=monotonic() - at)


def seen_from(incident: Incident, shared: datetime, own: datetime | None = None) -> Incident:
    """The incident as a machine looks at it whose clock is off: its window reaches to what the machine takes for the
    time, and a gap says by how much."""
    ahead = (own or datetime.now(UTC)) - shared
    if abs(ahead) <= TOLERATED:
        return incident
    window = Window(incident.window.start + min(ahead, timedelta()), incident.window.end + max(ahead, timedelta()))
    off = f"{abs(ahead).total_seconds():.0f} s {'ahead of' if ahead > timedelta() else 'behind'} the database's"
    gap = f"this machine's clock is {off}: what it stamped is off by as much; set its clock"
    return replace(incident, window=window, gaps=(*incident.gaps, gap))
