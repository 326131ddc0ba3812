"""Zabbix: a media type's webhook, with the macros that its default scripts send."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "zabbix"
_TRIGGERS: Final = ("trigger", "trigger_name", "event_name")


def knows(body: Json) -> bool:
    """A trigger or event by name, beside a host and a severity of Zabbix."""
    if not isinstance(body, dict) or not any(isinstance(body.get(key), str) for key in _TRIGGERS):
        return False
    host = any(key in body for key in ("hostname", "host", "host_name"))
    return host and any(key in body for key in ("item", "severity", "event_severity", "trigger_id"))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    name = reading.first(*(body.get(key) for key in _TRIGGERS))
    labels = {"alertname": name} | reading.pick(
        body, ("hostname", "host", "host_name", "item", "severity", "trigger_id")
    )
    value = {"1": "problem", "0": "resolved"}.get(reading.text(body.get("event_value")), "")
    return [reading.alert(
        NAME, name, labels,
        {"summary": reading.first(body.get("message"), body.get("subject"), name)}
        | reading.pick(body, ("item", "link")),
        level=reading.severity(body.get("severity"), body.get("event_severity")),
        state=reading.status(body.get("status"), body.get("event_status"), value),
        starts_at=reading.time(reading.first(body.get("timestamp"), body.get("event_time")), now),
        identity=reading.first(body.get("event_id"), body.get("trigger_id")),
    )]  # fmt: skip
