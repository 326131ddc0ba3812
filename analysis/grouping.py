"""Which incident an alert belongs to: a decision for each alert, with its reason.

In this order: the same alert in an open incident, the same alert in one that was closed just now, the sender's group,
what it is about, what that needs or is needed by, a storm; else the alert opens an incident.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from analysis.silences import silenced
from domain.alert import Alert, AlertStatus
from domain.silence import Silence

GROUP: Final = "group"  # a key of what the sender takes for one problem
ABOUT: Final = "about"  # of a thing by its name
NAME: Final = "name"  # of the alert's own name, where it is about nothing that is named


class Account(StrEnum):
    """What became of an alert."""

    NEW = "new"  # it opened an incident
    JOINED = "joined"  # it is new to an open incident
    DUPLICATE = "duplicate"  # it fires in an open incident already
    SILENCED = "silenced"
    RESOLVED = "resolved"
    COOLDOWN = "cooldown"  # its incident was closed just now, and is open again without a new investigation


CHANGES: Final = frozenset({Account.NEW, Account.JOINED})  # what an incident is investigated for


@dataclass(frozen=True)
class Limits:
    """How long what keeps alerts together."""

    window: timedelta = timedelta(minutes=5)  # alerts about one thing, this close together, are one problem
    group: timedelta = timedelta(hours=1)  # the same for alerts of one group of the sender's
    cooldown: timedelta = timedelta(minutes=10)
    storm: int = 10  # so many new incidents within the window; what fits none of them then goes into one more


@dataclass(frozen=True)
class Keyed:
    """An alert with what may keep it together with others."""

    alert: Alert
    keys: tuple[str, ...] = ()  # `<kind> <text>`, the strongest first
    near: tuple[str, ...] = ()  # of what its entities need, and what needs them

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for the same alert of the same sender."""
        return self.alert.source, self.alert.fingerprint


@dataclass(frozen=True)
class Member:
    """Where an alert is already."""

    incident_id: str
    firing: bool
    closed: bool = False  # just now


@dataclass(frozen=True)
class Near:
    """An open incident that has a key."""

    incident_id: str
    grown_at: datetime


@dataclass
class Known:
    """What the store knows of the alerts at hand; each decision adds to it."""

    members: dict[tuple[str, str], Member] = field(default_factory=dict)
    keyed: dict[str, Near] = field(default_factory=dict)
    opened: int = 0  # incidents within the window
    storm: Near | None = None  # the one that collects


@dataclass(frozen=True)
class Placed:
    """The decision about one alert."""

    keyed: Keyed
    account: Account
    incident_id: str  # empty: none
    why: str
    storm: bool = False  # it opened the incident that collects what else comes in


@dataclass
class Grouping:
    """Decides about the alerts of one post, one after the other."""

    known: Known
    silences: Sequence[Silence]
    now: datetime
    ids: Iterator[str]  # for new incidents
    limits: Limits = Limits()

    def place(self, keyed: Keyed) -> Placed:
        """Where the alert belongs; the next one sees it there."""
        placed = self._placed(keyed)
        if placed.incident_id:
            self._remember(placed)
        return placed

    def _placed(self, keyed: Keyed) -> Placed:
        member = self.known.members.get(keyed.identity)
        if keyed.alert.status is AlertStatus.RESOLVED:
            return self._resolved(keyed, member)
        if by := silenced(keyed.alert, self.silences):
            return Placed(keyed, Account.SILENCED, "", f"silence {by.id}")
        if member:
            return self._again(keyed, member)
        if near := self._near(keyed):
            return near
        return self._opened(keyed)

    def _resolved(self, keyed: Keyed, member: Member | None) -> Placed:
        if member is None or member.closed:
            return Placed(keyed, Account.RESOLVED, "", "no open incident has it")
        return Placed(keyed, Account.RESOLVED, member.incident_id, "it was firing" if member.firing else "again")

    def _again(self, keyed: Keyed, member: Member) -> Placed:
        if member.closed:
            return Placed(keyed, Account.COOLDOWN, member.incident_id, "the incident was closed just now")
        if member.firing:
            return Placed(keyed, Account.DUPLICATE, member.incident_id, "it fires in the incident already")
        return Placed(keyed, Account.COOLDOWN, member.incident_id, "it had resolved, and its incident is still open")

    def _near(self, keyed: Keyed) -> Placed | None:
        """The open incident that shares the strongest key."""
        for key in keyed.keys:
            if incident := self._open_with(key):
                return Placed(keyed, Account.JOINED, incident, f"same {key}")
        for key in keyed.near:
            if incident := self._open_with(key):
                return Placed(keyed, Account.JOINED, incident, f"depends: {key}")
        return None

    def _open_with(self, key: str) -> str | None:
        found = self.known.keyed.get(key)
        lasts = self.limits.group if key.startswith(f"{GROUP} ") else self.limits.window
        return found.incident_id if found and self.now - found.grown_at <= lasts else None

    def _opened(self, keyed: Keyed) -> Placed:
        known = self.known
        if known.storm and self.now - known.storm.grown_at <= self.limits.window:
            return Placed(keyed, Account.JOINED, known.storm.incident_id, "storm")
        storm = known.opened >= self.limits.storm
        why = f"storm: {known.opened} incidents at once" if storm else "nothing open is about it"
        return Placed(keyed, Account.NEW, next(self.ids), why, storm)

    def _remember(self, placed: Placed) -> None:
        known, near = self.known, Near(placed.incident_id, self.now)
        known.members[placed.keyed.identity] = Member(placed.incident_id, placed.account is not Account.RESOLVED)
        if placed.account is Account.NEW:
            known.opened += 1
        if placed.storm or (known.storm and known.storm.incident_id == placed.incident_id):
            known.storm = near
        if placed.account in CHANGES:
            known.keyed |= dict.fromkeys(placed.keyed.keys, near)


def neighbours(about: Sequence[str], edges: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Keys of what the named things need, and of what needs them."""
    near = (each for name in about for each in edges.get(name, ()) if each not in about)
    return tuple(dict.fromkeys(f"{ABOUT} {each}" for each in near))
