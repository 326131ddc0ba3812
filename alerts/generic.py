"""Any JSON object: finds an alert's fields by their usual names at the usual depths."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "generic"
_LISTS: Final = ("alerts", "events", "incidents", "messages")
_INNER: Final = (
    "alert", "incident", "issue", "data", "event", "payload", "check_result", "triggered_condition", "stream",
    "monitor", "heartbeat", "context", "details",
)  # fmt: skip
_NAMES: Final = (
    "alertname", "alert_name", "alertName", "rule_name", "ruleName", "check_name", "checkName", "AlarmName",
    "condition_name", "conditionName", "event_definition_title", "monitorFriendlyName", "monitor_name", "trigger",
    "title", "name", "messageTitle", "subject", "Subject", "summary", "message", "rule", "policy_name", "event",
    "description", "msg", "text", "error", "info", "subType", "alert_type", "type",
)  # fmt: skip
_SUMMARIES: Final = (
    "summary", "message", "description", "details", "body", "text", "msg", "reason", "output", "error", "alertDetails",
    "long_description", "result_description", "messageBody",
)  # fmt: skip
_SEVERITIES: Final = ("severity", "level", "priority", "criticality", "urgency", "importance_level", "importance")
_STATES: Final = (
    "status", "state", "current_state", "alert_state", "alertState", "alertTypeFriendlyName", "notification_type",
    "alert_type", "transition", "event_type", "action", "alert_action", "type", "statusExtended",
)  # fmt: skip
_STARTS: Final = (
    "startsAt", "starts_at", "started_at", "startedAt", "start", "startDate", "start_time", "created_at", "createdAt",
    "created_on", "triggered_at", "triggeredAt", "fired_at", "timestamp", "time", "date", "state_changed_timestamp",
)  # fmt: skip
_ENDS: Final = ("endsAt", "ends_at", "ended_at", "endedAt", "end", "endDate", "resolved_at", "resolvedAt", "cancelDate")
_IDS: Final = ("fingerprint", "alert_id", "alertId", "incident_id", "incidentId", "uuid", "id")
_LABELS: Final = ("commonLabels", "groupLabels", "labels", "tags", "dimensions")
_NOTES: Final = ("commonAnnotations", "annotations")
_OVER: Final = re.compile(r"\b(?:recovered|resolved|recovery|cleared)\b|\[OK\]|->\s*(?:UP|OK)\b", re.IGNORECASE)
_DEEPEST: Final = 3


def knows(body: Json) -> bool:
    """Every object, and every list with one."""
    return isinstance(body, dict) or (isinstance(body, list) and any(isinstance(one, dict) for one in body))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert, or one for each object of a list of alerts."""
    return [_alert(one, now) for one in _entries(body)]


def gaps(body: Json) -> list[str]:
    """What had to be guessed."""
    nameless = sum(not _name(_fields(one)) for one in _entries(body))
    return [f"{nameless} of the alerts have nothing that could be a name"] if nameless else []


def _entries(body: Json) -> list[dict[str, Json]]:
    """The objects that are alerts; what surrounds a list is given to each of its entries."""
    if isinstance(body, list):
        return [one for one in body if isinstance(one, dict)]
    for key in _LISTS:
        listed = (
            [one for one in body.get(key) or [] if isinstance(one, dict)] if isinstance(body.get(key), list) else []
        )
        if listed:
            around = {name: value for name, value in body.items() if name != key}
            return [around | one for one in listed]
    return [body] if any(value or value in (0, False) for value in body.values()) else []


def _fields(body: dict[str, Json]) -> list[dict[str, Json]]:
    """The objects to look in; where the usual ones hold no name, every one there is."""
    usual = list(_objects(body))
    return usual if _name(usual) else usual + list(_inside(body))


def _inside(body: dict[str, Json], depth: int = 0) -> Iterator[dict[str, Json]]:
    for value in body.values():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield value
            yield from _inside(value, depth + 1)


def _objects(body: dict[str, Json], depth: int = 0) -> Iterator[dict[str, Json]]:
    """The object and those inside it that may hold an alert's fields, the outermost first."""
    yield body
    if depth < _DEEPEST:
        for key in _INNER:
            if isinstance(body.get(key), dict):
                yield from _objects(body[key], depth + 1)


def _alert(body: dict[str, Json], now: datetime) -> Alert:
    objects = _fields(body)
    labels, annotations = _labels(objects), _annotations(objects)
    name = _name(objects)
    return reading.alert(
        NAME,
        name,
        labels,
        annotations,
        level=reading.severity(labels.get("severity"), *_every(objects, _SEVERITIES)),
        state=_state(objects, name),
        starts_at=next(filter(None, (reading.time(v, now) for v in _every(objects, _STARTS))), None),
        ends_at=next(filter(None, (reading.time(v, now) for v in _every(objects, _ENDS))), None),
        identity=reading.first(*_every(objects, _IDS)),
    )


def _every(objects: list[dict[str, Json]], keys: tuple[str, ...]) -> list[Json]:
    """What stands under these keys, the best key first, the outermost object first."""
    return [one[key] for key in keys for one in objects if key in one]


def _name(objects: list[dict[str, Json]]) -> str:
    labelled = [reading.at(one, key, "alertname") for key in _LABELS for one in objects]
    noted = [reading.at(one, key, "summary") for key in _NOTES for one in objects]
    return reading.first(*labelled, *_every(objects, _NAMES), *noted)


def _labels(objects: list[dict[str, Json]]) -> dict[str, str]:
    """The labels, and the plain fields beside them, so that an entity can be found in either."""
    told: dict[str, str] = {}
    for one in reversed(objects):
        told |= {key: reading.text(v) for key, v in one.items() if reading.text(v) and key not in _SUMMARIES}
    for key in reversed(_LABELS):
        for one in reversed(objects):
            told |= reading.texts(one.get(key)) if isinstance(one.get(key), dict) else {}
    return told


def _annotations(objects: list[dict[str, Json]]) -> dict[str, str]:
    told = {key: reading.first(*_every(objects, (key,))) for key in _SUMMARIES}
    for key in _NOTES:
        for one in reversed(objects):
            told |= reading.texts(one.get(key))
    told["summary"] = reading.first(told.get("summary"), *(told.get(key) for key in _SUMMARIES))
    return {key: value for key, value in told.items() if value}


def _state(objects: list[dict[str, Json]], name: str) -> AlertStatus | None:
    title = reading.first(*_every(objects, ("title", "messageTitle", "event")), name)
    if _OVER.search(title):
        return AlertStatus.RESOLVED
    return reading.status(*_every(objects, _STATES))
