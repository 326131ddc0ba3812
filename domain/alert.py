"""An alert, and the incident that one or more of them make."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class AlertStatus(StrEnum):
    """What the sender says of the alert now."""

    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True)
class Window:
    """The time an investigation looks at, aware UTC, both ends included."""

    start: datetime
    end: datetime  # in replay this is `now`


@dataclass(frozen=True)
class Alert:
    """One notification from a sender, normalised."""

    source: str  # the receiver that read it: alertmanager, generic, ...
    name: str  # what the rule is called
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)  # a stranger may have written these
    severity: str = "unknown"  # critical | error | warning | info | unknown
    status: AlertStatus = AlertStatus.FIRING
    starts_at: datetime | None = None
    ends_at: datetime | None = None  # None while firing
    fingerprint: str = ""  # equal for the same alert of the same sender


Machines = tuple[tuple[str, ...], ...]  # of each machine its names and addresses, the one it is called by first


@dataclass(frozen=True)
class Incident:
    """One or more alerts that are one problem; what is investigated."""

    id: str
    title: str  # the symptom only
    fired_at: datetime
    window: Window
    timezone: str  # IANA name for stamps without a zone
    alerts: tuple[Alert, ...]
    notes: str = ""  # what the recorder says
    gaps: tuple[str, ...] = ()  # what was odd about the alert or its bundle, shown under gaps
    seen: Machines = ()  # what live sources look at; empty: the evidence was recorded for this incident alone
