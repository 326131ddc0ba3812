"""PagerDuty: webhooks of version 1 to 3, an incident object as its REST API gives it, and events of its Events API."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "pagerduty"
_STATED: Final = ("incident", "incident_reference", "alert")  # kinds of data that have a state
_NUMBER: Final = {"incident_number", "incident_key"}
_ENVELOPE: Final = {"event_type", "data"}
_ACTIONS: Final = ("trigger", "acknowledge", "resolve")


def knows(body: Json) -> bool:
    """An incident event, a list of such messages, or the incident itself."""
    return isinstance(body, dict) and (bool(_incidents(body)) or _is_event(body) or _is_other(body))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per incident; of several messages about one, the last says how it stands."""
    if _is_event(body):
        return [_event(body, now)]
    told = {one.fingerprint: one for one in (_alert(*pair, now) for pair in _incidents(body))}
    return list(told.values())


def gaps(body: Json) -> list[str]:
    """What is told of an incident beside its state, or of a service."""
    kind = reading.text(reading.at(body, "event", "event_type"))
    return [f"pagerduty: {kind} is no change of an incident's state"] if _is_other(body) else []


def _incidents(body: dict[str, Json]) -> list[tuple[dict[str, Json], str]]:
    """Each incident with the type of the event that brought it."""
    event = body.get("event")
    if isinstance(event, dict) and isinstance(event.get("data"), dict) and "event_type" in event:
        kind = reading.text(event["data"].get("type"))
        return [] if kind and kind not in _STATED else [(event["data"], reading.text(event["event_type"]))]
    if isinstance(body.get("messages"), list):
        return [pair for one in body["messages"] if (pair := _message(one))]
    inner = body.get("incident")
    return [(one, "") for one in (body, inner) if isinstance(one, dict) and one.keys() >= _NUMBER][:1]


def _is_other(body: dict[str, Json]) -> bool:
    """Whether version 3 tells of a note, a responder, a service or a test."""
    event = body.get("event")
    return isinstance(event, dict) and event.keys() >= _ENVELOPE and not _incidents(body)


def _is_event(body: dict[str, Json]) -> bool:
    """Whether it is what a tool sends to PagerDuty: version 2 has an action, version 1 a type and a key."""
    second = reading.text(body.get("event_action")) in _ACTIONS and ("payload" in body or "dedup_key" in body)
    first = reading.text(body.get("event_type")) in _ACTIONS and ("service_key" in body or "incident_key" in body)
    return second or first


def _event(body: dict[str, Json], now: datetime) -> Alert:
    told = body["payload"] if isinstance(body.get("payload"), dict) else {}
    identity = reading.first(body.get("dedup_key"), body.get("incident_key"))
    name = reading.first(told.get("summary"), body.get("description"), identity)
    details = told.get("custom_details") or body.get("details")
    labels = reading.texts(details) | reading.pick(told, ("source", "component", "group", "class"))
    if source := reading.text(told.get("source")):
        labels.setdefault("host", source)
    action = reading.first(body.get("event_action"), body.get("event_type"))
    return reading.alert(
        NAME, name, labels | {"alertname": name}, {"summary": name} | reading.pick(body, ("client_url",)),
        level=reading.severity(told.get("severity")),
        state=reading.status(action),
        starts_at=reading.time(told.get("timestamp"), now),
        identity=identity,
    )  # fmt: skip


def _message(one: Json) -> tuple[dict[str, Json], str] | None:
    incident = reading.at(one, "data", "incident") or reading.at(one, "incident")
    kind = reading.first(reading.at(one, "type"), reading.at(one, "event"))
    return (incident, kind) if isinstance(incident, dict) and kind else None


def _alert(incident: dict[str, Json], event: str, now: datetime) -> Alert:
    summary = incident.get("trigger_summary_data")
    name = reading.first(
        incident.get("title"), reading.at(summary, "subject"), reading.at(summary, "description"),
        incident.get("summary"), incident.get("description"),
    )  # fmt: skip
    service = reading.first(reading.at(incident, "service", "summary"), reading.at(incident, "service", "name"))
    labels = {"alertname": name, "service": service} | reading.pick(incident, ("urgency", "incident_key", "html_url"))
    return reading.alert(
        NAME,
        name,
        {key: told for key, told in labels.items() if told},
        reading.pick(incident, ("description", "html_url")) | {"summary": name},
        level=reading.severity(reading.at(incident, "priority", "summary"), incident.get("urgency")),
        state=reading.status(event, incident.get("status")),
        starts_at=reading.time(reading.first(incident.get("created_at"), incident.get("created_on")), now),
        ends_at=reading.time(reading.first(incident.get("resolved_at"), incident.get("last_status_change_on")), now),
        identity=reading.text(incident.get("id")),
    )
