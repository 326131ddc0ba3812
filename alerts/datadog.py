"""Datadog: a webhook's own template, and a monitor as its API gives it."""

import re
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "datadog"
_TITLES: Final = ("alert_title", "title", "event_title")
_EVENT: Final = ("alert_transition", "transition", "alert_type", "event_type", "org", "last_updated")
_OVER: Final = ("recovered", "resolved", "success", "ok", "recovery")
_OVER_TITLE: Final = re.compile(r"(?i)^\[(?:recovered|ok|resolved)\b")
_STATES: Final = ("alert_transition", "transition", "alert_type", "alert_status", "status", "state", "overall_state")
_OWN: Final = (
    "alert_id", "alert_metric", "alert_query", "alert_scope", "alert_status", "alert_title", "alert_transition",
    "alert_cycle_key", "aggreg_key", "event_msg", "event_type", "org_id", "org_name", "snapshot", "text_only_msg",
)  # fmt: skip
_LINK: Final = re.compile(r"^https?://[\w.-]*\bdatadoghq\.(?:com|eu)/")


def knows(body: Json) -> bool:
    """A title with Datadog's transition, or with a monitor's query and scopes."""
    if not isinstance(body, dict) or not any(key in body for key in _TITLES):
        return False
    monitor = "monitor_id" in body and ("query" in body or "scopes" in body)
    return monitor or ("body" in body and sum(key in body for key in _EVENT) >= 2) or _names_itself(body)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    labels = (
        _tags(body.get("alert_scope") or body.get("scopes"))
        | _tags(body.get("tags"))
        | reading.pick(body, ("host", "hostname", "monitor_id", "priority", "link"))
    )
    name = reading.first(*(body.get(key) for key in _TITLES))
    notes = reading.pick(body, ("description", "message", "body", "query", "link"))
    return [reading.alert(
        NAME, name, labels | {"alertname": name},
        {"summary": reading.first(body.get("message"), body.get("body"), body.get("event_msg"), name)} | notes,
        level=reading.severity(body.get("severity"), body.get("priority"), body.get("alert_type")),
        state=_state(body),
        starts_at=reading.time(body.get("date") or body.get("last_updated") or body.get("timestamp"), now),
        identity=reading.first(body.get("alert_id"), body.get("monitor_id")),
    )]  # fmt: skip


def gaps(body: Json) -> list[str]:
    """Variables of the template that Datadog did not fill in."""
    raw = sorted(key for key, value in body.items() if isinstance(value, str) and value.startswith("$"))
    return [f"datadog left variables in the template: {', '.join(raw)}"] if raw else []


def _names_itself(body: dict[str, Json]) -> bool:
    """Whether a template of somebody's own has two of Datadog's fields, or links to it."""
    links = any(isinstance(value, str) and _LINK.search(value) for value in body.values())
    return links or sum(key in body for key in _OWN) >= 2


def _state(body: dict[str, Json]) -> AlertStatus:
    words = (reading.text(body.get(key)).lower() for key in _STATES)
    over = any(word in _OVER for word in words) or _OVER_TITLE.match(reading.first(body.get("title")))
    return AlertStatus.RESOLVED if over else AlertStatus.FIRING


def _tags(tags: Json) -> dict[str, str]:
    """`a:b, c:d`, or a list of such, as labels."""
    listed = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else []
    pairs = (reading.text(tag).partition(":") for tag in listed)
    return {key.strip(): value.strip() for key, _, value in pairs if value.strip()}
