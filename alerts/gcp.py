"""Google Cloud Monitoring: the incident of an alerting policy."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "gcp"


def knows(body: Json) -> bool:
    """An incident with its id and the name of a policy."""
    incident = reading.at(body, "incident")
    return isinstance(incident, dict) and "incident_id" in incident and "policy_name" in incident


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    incident = body["incident"]
    name = reading.first(
        reading.at(incident, "condition", "displayName"), incident.get("condition_name"),
        incident.get("policy_name"), incident.get("summary"),
    )  # fmt: skip
    labels = {"alertname": name} | reading.texts(reading.at(incident, "resource", "labels"))
    labels |= reading.texts(incident.get("policy_user_labels"))
    labels |= reading.pick(incident, ("resource_name", "resource_id", "policy_name", "scoping_project_id"))
    severity = (incident.get("severity"), reading.at(incident, "metadata", "system_labels", "severity"))
    return [reading.alert(
        NAME, name, labels,
        {"summary": reading.first(incident.get("summary"), name)} | reading.pick(incident, ("url",)),
        level=reading.severity(*severity),
        state=reading.status(incident.get("state")),
        starts_at=reading.time(incident.get("started_at"), now),
        ends_at=reading.time(incident.get("ended_at"), now),
        identity=reading.text(incident.get("incident_id")),
    )]  # fmt: skip
