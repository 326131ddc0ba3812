"""Sentry: the integration platform's issue and event alerts, and the legacy webhook plugin."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "sentry"
_PLUGIN: Final = ("project_name", "culprit", "event")
_KINDS: Final = ("issue", "event", "error", "metric_alert")


def knows(body: Json) -> bool:
    """An installation with an action, or the plugin's project, culprit and event."""
    if not isinstance(body, dict):
        return False
    platform = "action" in body and isinstance(body.get("data"), dict) and ("installation" in body or "actor" in body)
    return platform or all(key in body for key in _PLUGIN)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per issue."""
    told = _told(body)
    name = reading.first(
        told.get("title"),
        reading.at(body, "event", "title"),
        body.get("message"),
        reading.at(told, "metadata", "value"),
    )
    project = reading.first(body.get("project_slug"), reading.at(told, "project", "slug"), body.get("project_name"))
    labels = {"alertname": name, "service": project, "level": reading.first(told.get("level"), body.get("level"))}
    notes = {"summary": reading.first(body.get("message"), name), "culprit": reading.text(told.get("culprit"))}
    began = told.get("firstSeen") or told.get("datetime") or told.get("timestamp") or told.get("received")
    return [reading.alert(
        NAME, name,
        {key: value for key, value in labels.items() if value},
        {key: value for key, value in notes.items() if value} | reading.pick(body, ("url",)),
        level=reading.severity(labels["level"]),
        state=reading.status(told.get("status"), body.get("action")),
        starts_at=reading.time(began, now),
        identity=reading.first(told.get("issue_id"), body.get("id"), told.get("id")),
    )]  # fmt: skip


def _told(body: dict[str, Json]) -> dict[str, Json]:
    """The issue or event that the post is about."""
    found = [reading.at(body, "data", kind) for kind in _KINDS] + [body.get("event")]
    return next((one for one in found if isinstance(one, dict)), {})
