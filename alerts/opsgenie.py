"""Opsgenie: the outgoing webhook of an alert's life."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "opsgenie"
_OVER: Final = ("close", "delete")


def knows(body: Json) -> bool:
    """An action on an alert with its id and tiny id."""
    one = reading.at(body, "alert")
    return isinstance(one, dict) and "action" in body and ("alertId" in one or "integrationId" in body)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    one = body["alert"]
    name = reading.text(one.get("message"))
    over = reading.text(body["action"]).lower() in _OVER
    priority = reading.text(one.get("priority")).upper().removeprefix("P")
    labels = {"alertname": name} | reading.pick(one, ("entity", "alias", "source", "tags", "tinyId"))
    labels |= reading.texts(one.get("details"))
    if host := labels.get("entity"):
        labels.setdefault("host", host)
    return [reading.alert(
        NAME, name, labels,
        {"summary": name} | reading.pick(one, ("description",)),
        level=reading.severity(f"p{priority}" if priority else ""),
        state=AlertStatus.RESOLVED if over else AlertStatus.FIRING,
        starts_at=reading.time(one.get("createdAt"), now),
        ends_at=reading.time(one.get("updatedAt"), now),
        identity=reading.text(one.get("alertId")),
    )]  # fmt: skip
