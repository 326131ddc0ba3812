"""Zabbix: a media type's webhook, whatever its macros are called: trigger_name, event_name, HOST.NAME, ..."""

import re
from datetime import datetime
from typing import Final

from alerts import reading, words
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "zabbix"
_TRIGGERS: Final = ("trigger", "triggername", "eventname", "problemname", "problem", "triggerdescription")
_HOSTS: Final = ("hostname", "host", "hosthost", "hostvisiblename", "hostip", "hostconn")
_OF_ZABBIX: Final = (
    "item", "itemname", "itemvalue", "severity", "triggerseverity", "eventseverity", "eventnseverity", "triggerid",
    "eventid", "eventvalue", "triggerstatus", "eventrecoveryid",
)  # fmt: skip
_STATES: Final = ("status", "triggerstatus", "eventstatus", "problemstatus", "eventupdatestatus")
_TIMES: Final = ("timestamp", "eventtime", "eventdatetime", "problemtime", "date")
_LEVELS: Final = {"0": "unknown", "1": "info", "2": "warning", "3": "error", "4": "error", "5": "critical"}
_PREFIX: Final = re.compile(r"^(?:Resolved|Problem|OK|PROBLEM)(?: in [^:]+)?:\s*")


def knows(body: Json) -> bool:
    """A trigger or event by name, beside a host and something that only Zabbix says."""
    if not isinstance(body, dict):
        return False
    told = _told(body)
    named = any(isinstance(told.get(key), str) and told[key] for key in _TRIGGERS)
    return named and any(key in told for key in _HOSTS) and any(key in told for key in _OF_ZABBIX)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post."""
    told = _told(body)
    name = reading.first(*(told.get(key) for key in _TRIGGERS))
    host = reading.first(*(told.get(key) for key in _HOSTS))
    labels = {"alertname": _PREFIX.sub("", name), "host": host} | reading.pick(
        body, ("hostname", "host_name", "host_ip", "item", "item_name", "severity", "trigger_id")
    )
    return [reading.alert(
        NAME, labels["alertname"], {key: value for key, value in labels.items() if value},
        {"summary": reading.first(told.get("message"), told.get("alertmessage"), told.get("subject"), name)}
        | reading.pick(body, ("item", "link")),
        level=_level(told), state=_state(told, name),
        starts_at=reading.time(reading.first(*(told.get(key) for key in _TIMES)), now),
        ends_at=reading.time(told.get("eventrecoverytime"), now),
        identity=reading.first(told.get("eventid"), told.get("triggerid")),
    )]  # fmt: skip


def _told(body: dict[str, Json]) -> dict[str, Json]:
    return {words.key(name): value for name, value in body.items()}


def _level(told: dict[str, Json]) -> str:
    number = reading.first(told.get("eventnseverity"), told.get("triggernseverity"))
    named = reading.severity(told.get("severity"), told.get("eventseverity"), told.get("triggerseverity"))
    return named if named != "unknown" else _LEVELS.get(number, "unknown")


def _state(told: dict[str, Json], name: str) -> AlertStatus | None:
    value = {"1": "problem", "0": "resolved"}.get(reading.text(told.get("eventvalue")), "")
    title = reading.first(told.get("subject"), told.get("alertsubject"), name)
    over = "resolved" if re.match(r"(?i)(?:resolved|ok)\b[^:]*:", title) else ""
    return reading.status(*(told.get(key) for key in _STATES), value, over)
