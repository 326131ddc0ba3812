"""Azure Monitor: the common alert schema, and the older ones of metrics, logs, activity logs, health and budgets."""

import re
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "azuremonitor"
_SCHEMA: Final = re.compile(r"(?i)^(?:azuremonitor|microsoft\.insights/|aip budget)")
_LEVELS: Final = {"0": "critical", "1": "error", "2": "warning", "3": "info", "4": "info"}
_NAMES: Final = ("alertRule", "AlertRuleName", "name", "BudgetName", "SmartDetectorName")
_STATES: Final = ("monitorCondition", "Status", "status")
_HEALTH_OVER: Final = ("available", "resolved", "complete", "rca")  # of a resource, or the stage of a service's trouble
_RESOURCE: Final = re.compile(r"/providers/.+/([^/]+)$")


def knows(body: Json) -> bool:
    """A schema's name, the essentials of an alert, a context with a subscription, or a log alert's search."""
    if not isinstance(body, dict):
        return False
    data, context = _data(body), _context(body)
    searched = "AlertRuleName" in data and ("SearchQuery" in data or "SubscriptionId" in data)
    named = _SCHEMA.match(reading.text(body.get("schemaId"))) is not None
    return named or searched or "alertRule" in _essentials(data) or "subscriptionId" in context


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    data, context = _data(body), _context(body)
    told = _essentials(data) | {key: value for key, value in context.items() if key not in ("status", "Status")}
    log = _dict(context.get("activityLog") or (context if "eventSource" in context else None))
    happened = _dict(log.get("properties"))
    name = reading.first(
        *(one.get(key) for key in _NAMES for one in (told, data)), happened.get("title"), log.get("operationName")
    )
    labels = {"alertname": name} | _labels(told | data) | reading.pick(log, ("operationName", "eventSource", "level"))
    summary = reading.first(told.get("description"), data.get("Description"), happened.get("title"), name)
    severity = reading.first(told.get("severity"), told.get("Severity"), data.get("Severity"), log.get("level"))
    level = severity.lower().removeprefix("sev")
    began = reading.first(told.get("firedDateTime"), told.get("timestamp"), log.get("eventTimestamp"),
                          data.get("SearchIntervalEndtimeUtc"))  # fmt: skip
    return [reading.alert(
        NAME, name, labels, {"summary": summary},
        level=_LEVELS.get(level) or reading.severity(level),
        state=_health(log, happened) or reading.status(*(one.get(key) for key in _STATES for one in (told, data))),
        starts_at=reading.time(began, now),
        ends_at=reading.time(reading.first(told.get("resolvedDateTime"), began), now),
        identity=reading.first(told.get("alertId"), told.get("id"), log.get("correlationId")),
    )]  # fmt: skip


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _data(body: dict[str, Json]) -> dict[str, Json]:
    return body["data"] if isinstance(body.get("data"), dict) else body


def _essentials(data: dict[str, Json]) -> dict[str, Json]:
    return data["essentials"] if isinstance(data.get("essentials"), dict) else {}


def _context(body: dict[str, Json]) -> dict[str, Json]:
    found = reading.at(body, "data", "context") or reading.at(body, "data", "alertContext") or body.get("context")
    return found if isinstance(found, dict) else {}


def _labels(told: dict[str, Json]) -> dict[str, str]:
    """What the alert is about; a resource by the last part of its id."""
    found = reading.pick(
        told, ("resourceName", "resourceType", "resourceGroupName", "resourceRegion", "conditionType", "severity",
               "signalType", "monitoringService", "configurationItems")
    )  # fmt: skip
    targets = told.get("alertTargetIDs")
    ids = reading.first(*(targets if isinstance(targets, list) else []), told.get("ResourceId"), told.get("resourceId"))
    items = found.get("configurationItems", "")
    if resource := items if items and "," not in items else next(iter(_RESOURCE.findall(ids)), ""):
        found.setdefault("resourceName", resource)
    return found


def _health(log: dict[str, Json], happened: dict[str, Json]) -> AlertStatus | None:
    """What the activity log says of the health of a resource or service; its own status only says that it was told."""
    said = [happened.get("stage"), happened.get("currentHealthStatus"), log.get("status")]
    words = [word for value in said if (word := reading.text(value).lower())]
    if not log or not words:
        return None
    return AlertStatus.RESOLVED if words[0] in _HEALTH_OVER else AlertStatus.FIRING
