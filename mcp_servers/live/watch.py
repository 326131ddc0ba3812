"""The time that live sources look at, and the name of the machine they look from."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from analysis.captures.command import Command
from analysis.captures.context import Context
from analysis.lines.timestamps import Clock
from domain.alert import Window


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Watch:
    """From when to when live sources look; open-ended while no incident says where its window ends."""

    host: str = field(default_factory=socket.gethostname)
    timezone: str = "UTC"  # of stamps without a zone
    window: Window | None = None  # of an incident; without one each call looks back from its own now
    back: timedelta = timedelta(hours=6)
    clock: Callable[[], datetime] = _now

    @property
    def end(self) -> datetime:
        """After this nothing is returned."""
        return self.window.end if self.window else self.clock()

    @property
    def start(self) -> datetime:
        """Before this nothing is asked for."""
        return self.window.start if self.window else self.end - self.back

    @property
    def stamps(self) -> Clock:
        """What stamps are read against."""
        return Clock(self.end, self.timezone)

    def context(self, source: str) -> Context:
        """What the parsers of captures are told of a live source."""
        return Context(source, Command(host=self.host), clock=self.stamps)
