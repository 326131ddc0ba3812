"""Google Cloud Monitoring: the incident of an alerting policy, by webhook or pushed by Pub/Sub."""

import base64
import binascii
import json
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "gcp"
_MARKS: Final = ("policy_name", "condition_name", "scoping_project_id", "resource_id")


def knows(body: Json) -> bool:
    """An incident with its id and what Google alone says of it."""
    incident = _incident(body)
    return "incident_id" in incident and any(key in incident for key in _MARKS)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    incident = _incident(body)
    name = reading.first(
        reading.at(incident, "condition", "displayName"), incident.get("condition_name"),
        incident.get("policy_name"), incident.get("summary"),
    )  # fmt: skip
    labels = {"alertname": name} | reading.texts(reading.at(incident, "resource", "labels"))
    labels |= reading.texts(incident.get("policy_user_labels"))
    labels |= reading.pick(incident, ("resource_name", "resource_id", "policy_name", "scoping_project_id"))
    severity = (incident.get("severity"), reading.at(incident, "metadata", "system_labels", "severity"))
    told = reading.first(incident.get("summary"), reading.at(incident, "documentation", "content"), name)
    return [reading.alert(
        NAME, name, labels,
        {"summary": told} | reading.pick(incident, ("url",)),
        level=reading.severity(*severity),
        state=reading.status(incident.get("state")),
        starts_at=reading.time(incident.get("started_at"), now),
        ends_at=reading.time(incident.get("ended_at"), now),
        identity=reading.text(incident.get("incident_id")),
    )]  # fmt: skip


def _incident(body: Json) -> dict[str, Json]:
    found = reading.at(body, "incident") or reading.at(_pushed(body), "incident")
    return found if isinstance(found, dict) else {}


def _pushed(body: Json) -> Json:
    """What Pub/Sub wraps in base64."""
    data = reading.at(body, "message", "data")
    if not isinstance(data, str):
        return None
    try:
        return json.loads(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError, RecursionError):
        return None
