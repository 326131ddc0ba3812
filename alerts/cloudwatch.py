"""Amazon CloudWatch alarms: an SNS envelope or its message alone. A handshake is no alert and is never answered."""

import json
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "cloudwatch"
_STATES: Final = {"OK": AlertStatus.RESOLVED, "ALARM": AlertStatus.FIRING}


def knows(body: Json) -> bool:
    """An SNS envelope, or an object with an alarm's name."""
    if not isinstance(body, dict):
        return False
    return ("Type" in body and "TopicArn" in body) or "AlarmName" in _alarm(body)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per alarm."""
    alarm = _alarm(body)
    if "AlarmName" not in alarm:
        return []
    name = reading.text(alarm["AlarmName"])
    labels = {"alertname": name} | _dimensions(alarm)
    labels |= reading.pick(alarm, ("Namespace", "MetricName", "Region", "AWSAccountId"))
    labels |= reading.pick(reading.at(alarm, "Trigger"), ("Namespace", "MetricName"))
    notes = {"summary": reading.first(alarm.get("AlarmDescription"), body.get("Subject"), name)}
    changed = reading.time(alarm.get("StateChangeTime") or body.get("Timestamp"), now)
    state = _STATES.get(reading.text(alarm.get("NewStateValue")).upper())
    return [reading.alert(
        NAME, name, labels, notes | reading.pick(alarm, ("NewStateReason", "AlarmDescription")),
        level=reading.severity(alarm.get("Priority"), alarm.get("Severity")),
        state=state, starts_at=changed, ends_at=changed,
        identity=reading.text(alarm.get("AlarmArn")),
    )]  # fmt: skip


def gaps(body: Json) -> list[str]:
    """A handshake that nobody confirmed, and states that are neither alarm nor all-clear."""
    if reading.text(body.get("Type")).endswith("Confirmation"):
        return [f"SNS {reading.text(body['Type'])}: confirm it by hand; no address of it is fetched"]
    state = reading.text(_alarm(body).get("NewStateValue"))
    return [f"the alarm's state is {state}; it is treated as firing"] if state and state not in _STATES else []


def _alarm(body: dict[str, Json]) -> dict[str, Json]:
    message = body.get("Message", body)
    if isinstance(message, str):
        try:
            message = json.loads(message)
        except ValueError:
            return {}
    return message if isinstance(message, dict) else {}


def _dimensions(alarm: dict[str, Json]) -> dict[str, str]:
    listed = reading.at(alarm, "Trigger", "Dimensions") or alarm.get("Dimensions") or []
    pairs = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {
        name: value
        for one in pairs
        if (name := reading.first(one.get("name"), one.get("Name")))
        and (value := reading.first(one.get("value"), one.get("Value")))
    }
