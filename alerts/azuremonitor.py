"""Azure Monitor: the common alert schema, metric alerts, and classic metric alerts."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "azuremonitor"
_LEVELS: Final = {"0": "critical", "1": "error", "2": "warning", "3": "info", "4": "info"}


def knows(body: Json) -> bool:
    """A schema's name that begins with azureMonitor, or a context with a subscription."""
    if not isinstance(body, dict):
        return False
    return reading.text(body.get("schemaId")).lower().startswith("azuremonitor") or "subscriptionId" in _context(body)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    context, data = _context(body), body["data"] if isinstance(body.get("data"), dict) else body
    essentials = data.get("essentials") if isinstance(data.get("essentials"), dict) else {}
    name = reading.first(reading.at(essentials, "alertRule"), context.get("name"))
    labels = {"alertname": name} | reading.pick(
        context, ("resourceName", "resourceType", "resourceGroupName", "resourceRegion", "conditionType")
    )
    labels |= reading.pick(essentials, ("severity", "signalType", "monitoringService", "configurationItems"))
    severity = reading.first(reading.at(essentials, "severity"), context.get("severity")).lower().removeprefix("sev")
    began = reading.first(reading.at(essentials, "firedDateTime"), context.get("timestamp"))
    return [reading.alert(
        NAME, name, labels,
        {"summary": reading.first(reading.at(essentials, "description"), context.get("description"), name)},
        level=_LEVELS.get(severity, "unknown"),
        state=reading.status(reading.at(essentials, "monitorCondition"), data.get("status")),
        starts_at=reading.time(began, now),
        ends_at=reading.time(reading.first(reading.at(essentials, "resolvedDateTime"), began), now),
        identity=reading.first(reading.at(essentials, "alertId"), context.get("id")),
    )]  # fmt: skip


def _context(body: dict[str, Json]) -> dict[str, Json]:
    found = reading.at(body, "data", "context") or reading.at(body, "data", "alertContext") or body.get("context")
    return found if isinstance(found, dict) else {}
