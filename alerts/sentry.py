"""Sentry: the integration platform's issues, events and metric alerts, and the legacy webhook plugin."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "sentry"
_PLUGIN: Final = ("project_name", "culprit", "event")
_KINDS: Final = ("issue", "event", "error", "metric_alert")
_ACTIONS: Final = ("resolved", "unresolved")  # say more than the issue's own status, which may be older


def knows(body: Json) -> bool:
    """An installation or a link with an action, or the plugin's project, culprit and event."""
    if not isinstance(body, dict):
        return False
    data = body.get("data")
    platform = "action" in body and isinstance(data, dict) and ("installation" in body or "actor" in body)
    return platform or all(key in body for key in _PLUGIN)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per issue; a comment or an installation is none."""
    told = _told(body)
    if not told:
        return []
    rule = reading.at(told, "alert_rule")
    name = reading.first(
        reading.at(rule, "name"), told.get("title"), reading.at(body, "event", "title"), body.get("message"),
        reading.at(told, "metadata", "value"), reading.at(body, "data", "description_title"),
    )  # fmt: skip
    projects = reading.at(rule, "projects") or told.get("projects")
    project = reading.first(
        body.get("project_slug"), reading.at(told, "project", "slug"), body.get("project_name"),
        *(projects if isinstance(projects, list) else []),
    )  # fmt: skip
    action = reading.text(body.get("action"))
    labels = {"alertname": name, "service": project, "level": reading.first(told.get("level"), body.get("level"))}
    summary = reading.first(body.get("message"), reading.at(body, "data", "description_text"), name)
    notes = {"summary": summary, "culprit": reading.text(told.get("culprit"))}
    began = reading.first(
        *(told.get(key) for key in ("firstSeen", "date_started", "datetime", "timestamp", "received", "date_created"))
    )
    return [reading.alert(
        NAME, name,
        {key: value for key, value in labels.items() if value},
        {key: value for key, value in notes.items() if value} | reading.pick(body, ("url",)),
        level=reading.severity(labels["level"], action),
        state=reading.status(action if action in _ACTIONS else "", told.get("status"), action),
        starts_at=reading.time(began, now),
        ends_at=reading.time(told.get("date_closed"), now),
        identity=reading.first(told.get("issue_id"), body.get("id"), told.get("id")),
    )]  # fmt: skip


def gaps(body: Json) -> list[str]:
    """What is about no issue."""
    about = ", ".join(sorted(body["data"])[:3]) if isinstance(body.get("data"), dict) else ""
    return [] if _told(body) else [f"sentry: nothing of this post is an issue ({about})"]


def _told(body: dict[str, Json]) -> dict[str, Json]:
    """The issue or event that the post is about."""
    found = [reading.at(body, "data", kind) for kind in _KINDS] + [body.get("event")]
    return next((one for one in found if isinstance(one, dict)), {})
