"""Datadog: a webhook's own template, and a monitor as its API gives it."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "datadog"
_EVENT: Final = ("alert_transition", "transition", "alert_type", "event_type", "org", "last_updated")
_OVER: Final = ("recovered", "resolved", "success")


def knows(body: Json) -> bool:
    """A title with Datadog's transition, or with a monitor's query and scopes."""
    if not isinstance(body, dict) or ("title" not in body and "alert_title" not in body):
        return False
    monitor = "monitor_id" in body and ("query" in body or "scopes" in body)
    return monitor or ("body" in body and sum(key in body for key in _EVENT) >= 2)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    labels = _tags(body.get("tags")) | reading.pick(body, ("host", "hostname", "monitor_id", "priority", "link"))
    name = reading.first(body.get("alert_title"), body.get("title"))
    notes = reading.pick(body, ("description", "message", "body", "query", "link"))
    return [reading.alert(
        NAME, name, labels | {"alertname": name},
        {"summary": reading.first(body.get("message"), body.get("body"), name)} | notes,
        level=reading.severity(body.get("severity"), body.get("priority"), body.get("alert_type")),
        state=_state(body),
        starts_at=reading.time(body.get("date") or body.get("last_updated") or body.get("timestamp"), now),
        identity=reading.first(body.get("alert_id"), body.get("monitor_id")),
    )]  # fmt: skip


def gaps(body: Json) -> list[str]:
    """Variables of the template that Datadog did not fill in."""
    raw = sorted(key for key, value in body.items() if isinstance(value, str) and value.startswith("$"))
    return [f"datadog left variables in the template: {', '.join(raw)}"] if raw else []


def _state(body: dict[str, Json]) -> AlertStatus:
    words = (reading.text(body.get(key)).lower() for key in ("alert_transition", "transition", "alert_type"))
    return AlertStatus.RESOLVED if any(word in _OVER for word in words) else AlertStatus.FIRING


def _tags(tags: Json) -> dict[str, str]:
    """`a:b, c:d`, or a list of such, as labels."""
    listed = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else []
    pairs = (reading.text(tag).partition(":") for tag in listed)
    return {key.strip(): value.strip() for key, _, value in pairs if value.strip()}
