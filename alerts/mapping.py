"""Bodies of a sender that nobody knows, read by paths that the operator wrote down."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from alerts import GENERIC, Received, reading, skewed
from domain.alert import Alert, AlertStatus
from domain.codec import Json
from domain.errors import UnreadablePayload

_WHOLE: Final = "."


@dataclass(frozen=True)
class Paths:
    """Where an alert's fields stand: `data.items.0.name`, or a JSON pointer for keys with dots in them."""

    name: str
    alerts: str = ""  # of the list of alerts, from the body; paths below are then each entry's. Empty: the body is one
    status: str = ""
    severity: str = ""
    starts_at: str = ""
    ends_at: str = ""
    fingerprint: str = ""
    group: str = ""  # from the body
    labels: Mapping[str, str] = field(default_factory=dict)  # label -> path; a path to an object gives all of it
    annotations: Mapping[str, str] = field(default_factory=dict)
    resolved: tuple[str, ...] = ()  # words of the status that mean an end, beside the usual ones


def read(body: Json, now: datetime, paths: Paths) -> Received:
    """The alerts of a body. Raises UnreadablePayload where the paths lead to none."""
    entries = found(body, paths.alerts) if paths.alerts else [body]
    if not isinstance(entries, list):
        raise UnreadablePayload(f"the mapping's list of alerts, {paths.alerts!r}, is not in the body")
    alerts = tuple(_alert(one, now, paths) for one in entries if isinstance(one, dict))
    if not alerts:
        return Received((), GENERIC, (f"{paths.alerts or 'the body'} holds no alert",))
    return Received(alerts, GENERIC, (*_gaps(alerts), *skewed(alerts, now)), reading.text(found(body, paths.group)))


def found(body: Json, path: str) -> Json:
    """What stands at a path, or None."""
    if not path:
        return None
    if path == _WHOLE:
        return body
    for step in _steps(path):
        body = _below(body, step)
    return body


def _steps(path: str) -> list[str]:
    if not path.startswith("/"):
        return path.split(".")
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]


def _below(body: Json, step: str) -> Json:
    if isinstance(body, list):
        return body[int(step)] if step.isdecimal() and int(step) < len(body) else None
    return body.get(step) if isinstance(body, dict) else None


def _alert(one: dict[str, Json], now: datetime, paths: Paths) -> Alert:
    name = reading.text(found(one, paths.name))
    status = found(one, paths.status)
    alert = reading.alert(
        GENERIC,
        name,
        {"alertname": name} | _texts(one, paths.labels) if name else _texts(one, paths.labels),
        _texts(one, paths.annotations),
        level=reading.severity(found(one, paths.severity)),
        state=reading.status(status),
        starts_at=reading.time(found(one, paths.starts_at), now),
        ends_at=reading.time(found(one, paths.ends_at), now),
        identity=reading.text(found(one, paths.fingerprint)),
    )
    ended = reading.text(status).lower() in {word.lower() for word in paths.resolved}
    return replace(alert, status=AlertStatus.RESOLVED, ends_at=alert.ends_at or now) if ended else alert


def _texts(one: Json, paths: Mapping[str, str]) -> dict[str, str]:
    """What stands at the paths, as labels."""
    told: dict[str, str] = {}
    for label, path in paths.items():
        value = found(one, path)
        told |= reading.texts(value) if isinstance(value, dict) else {label: reading.text(value)}
    return {label: text for label, text in told.items() if text}


def _gaps(alerts: tuple[Alert, ...]) -> list[str]:
    nameless = sum(alert.name == "unnamed alert" for alert in alerts)
    return [f"{nameless} of the alerts have no name where the mapping says"] if nameless else []
