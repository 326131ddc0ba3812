"""PagerDuty: webhooks of version 1 to 3, and an incident object as its REST API gives it."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "pagerduty"


def knows(body: Json) -> bool:
    """An incident event, a list of such messages, or the incident itself."""
    return isinstance(body, dict) and bool(_incidents(body))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per incident; of several messages about one, the last says how it stands."""
    told = {one.fingerprint: one for one in (_alert(*pair, now) for pair in _incidents(body))}
    return list(told.values())


def _incidents(body: dict[str, Json]) -> list[tuple[dict[str, Json], str]]:
    """Each incident with the type of the event that brought it."""
    event = body.get("event")
    if isinstance(event, dict) and isinstance(event.get("data"), dict) and "event_type" in event:
        return [(event["data"], reading.text(event["event_type"]))]
    if isinstance(body.get("messages"), list):
        return [pair for one in body["messages"] if (pair := _message(one))]
    return [(body, "")] if "incident_number" in body and "incident_key" in body else []


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
