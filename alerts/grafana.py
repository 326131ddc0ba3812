"""Grafana: unified alerting, and the legacy webhook with `evalMatches`."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from alerts import alertmanager, reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "grafana"
_UNIFIED: Final = ("orgId", "appVersion")
_RULE: Final = ("execErrState", "noDataState", "condition")


def knows(body: Json) -> bool:
    """Unified alerting names its organisation, the legacy one its rule; a rule's definition is no notification."""
    if not isinstance(body, dict):
        return False
    unified = isinstance(body.get("alerts"), list) and any(key in body for key in _UNIFIED)
    return unified or _is_legacy(body) or _is_definition(body)


def read(body: Json, now: datetime) -> list[Alert]:
    """The alerts, in the form of either generation."""
    if _is_definition(body):
        return []
    return [_legacy(body)] if _is_legacy(body) else [replace(one, source=NAME) for one in alertmanager.read(body, now)]


def gaps(body: Json) -> list[str]:
    """A definition that was sent where a notification belongs, and what the unified form leaves out."""
    if _is_definition(body):
        return ["grafana: this is the definition of a rule, not a notification"]
    return [] if _is_legacy(body) else alertmanager.gaps(body)


def group(body: Json) -> str:
    """The key of the notification's group; the legacy form has none."""
    return "" if _is_legacy(body) else alertmanager.group(body)


def _is_legacy(body: dict[str, Json]) -> bool:
    return "ruleName" in body and ("evalMatches" in body or "ruleId" in body)


def _is_definition(body: dict[str, Json]) -> bool:
    return all(key in body for key in _RULE) and "alerts" not in body


def _legacy(body: dict[str, Json]) -> Alert:
    listed = body.get("evalMatches")
    matches = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    labels = {key: told for one in matches[:1] for key, told in reading.texts(one.get("tags")).items()}
    labels |= reading.texts(body.get("tags")) | {"alertname": reading.text(body["ruleName"])}
    values = ", ".join(f"{reading.text(one.get('metric'))}={reading.text(one.get('value'))}" for one in matches)
    annotations = {
        "summary": reading.text(body.get("title")),
        "description": reading.text(body.get("message")),
        "values": values,
        "ruleUrl": reading.text(body.get("ruleUrl")),
    }
    return reading.alert(
        NAME,
        labels["alertname"],
        labels,
        {key: told for key, told in annotations.items() if told},
        level=reading.severity(labels.get("severity")),
        state=reading.status(body.get("state")),
    )
