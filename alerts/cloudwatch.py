"""Amazon CloudWatch alarms: an SNS envelope, its message alone, or an event of EventBridge; and what else SNS brings.

A handshake is no alert and is never answered here.
"""

import json
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "cloudwatch"
_STATES: Final = {"OK": AlertStatus.RESOLVED, "ALARM": AlertStatus.FIRING}
_BUS: Final = ("detail-type", "detail")  # of an event of EventBridge
_TEXTS: Final = ("Event Message", "AlarmDescription", "description", "message", "detail-type")
_THINGS: Final = ("Source ID", "AutoScalingGroupName", "EC2InstanceId", "Event Source")


def knows(body: Json) -> bool:
    """An SNS envelope, an alarm by name, or an event of AWS."""
    if not isinstance(body, dict):
        return False
    bus = all(key in body for key in _BUS) and reading.text(body.get("source")).startswith("aws.")
    return bus or ("Type" in body and "TopicArn" in body) or "AlarmName" in _message(body)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per alarm, or per message that is none."""
    if _is_handshake(body):
        return []
    alarm = _alarm(_message(body))
    if "AlarmName" not in alarm:
        return _other(body, now)
    name = reading.text(alarm["AlarmName"])
    labels = {"alertname": name} | _dimensions(alarm)
    labels |= reading.pick(alarm, ("Namespace", "MetricName", "Region", "AWSAccountId"))
    labels |= reading.pick(reading.at(alarm, "Trigger"), ("Namespace", "MetricName"))
    notes = {"summary": reading.first(alarm.get("AlarmDescription"), body.get("Subject"), name)}
    changed = reading.time(alarm.get("StateChangeTime") or body.get("Timestamp") or body.get("time"), now)
    return [reading.alert(
        NAME, name, labels, notes | reading.pick(alarm, ("NewStateReason", "AlarmDescription")),
        level=reading.severity(alarm.get("Priority"), alarm.get("Severity")),
        state=_STATES.get(_state(alarm)), starts_at=changed, ends_at=changed,
        identity=reading.text(alarm.get("AlarmArn")),
    )]  # fmt: skip


def gaps(body: Json) -> list[str]:
    """A handshake that nobody confirmed, states that are neither alarm nor all-clear, and what is no alarm."""
    if _is_handshake(body):
        return [f"SNS {reading.text(body['Type'])}: confirm it by hand; no address of it is fetched"]
    alarm = _alarm(_message(body))
    if "AlarmName" not in alarm:
        return ["SNS brought a message that is no alarm of CloudWatch"]
    state = _state(alarm)
    return [f"the alarm's state is {state}; it is treated as firing"] if state and state not in _STATES else []


def _is_handshake(body: dict[str, Json]) -> bool:
    return reading.text(body.get("Type")).endswith("Confirmation")


def _message(body: dict[str, Json]) -> dict[str, Json]:
    message = body.get("Message", body)
    if isinstance(message, str):
        try:
            message = json.loads(message)
        except ValueError:
            return {}
    return message if isinstance(message, dict) else {}


def _alarm(message: dict[str, Json]) -> dict[str, Json]:
    """The alarm; an event of EventBridge in the words of an SNS message."""
    detail = message.get("detail")
    if not isinstance(detail, dict) or "alarmName" not in detail:
        return message
    listed = message.get("resources")
    return {
        "AlarmName": detail["alarmName"],
        "AlarmArn": reading.first(*listed) if isinstance(listed, list) else "",
        "AlarmDescription": reading.at(detail, "configuration", "description"),
        "NewStateValue": reading.at(detail, "state", "value"),
        "NewStateReason": reading.at(detail, "state", "reason"),
        "StateChangeTime": reading.at(detail, "state", "timestamp"),
        "Region": message.get("region"),
        "Dimensions": _of_metrics(detail),
    }


def _of_metrics(detail: dict[str, Json]) -> list[Json]:
    metrics = reading.at(detail, "configuration", "metrics")
    stats = [reading.at(one, "metricStat", "metric", "dimensions") for one in metrics or [] if isinstance(one, dict)]
    found = next((one for one in stats if isinstance(one, dict)), {})
    return [{"name": name, "value": value} for name, value in found.items()]


def _state(alarm: dict[str, Json]) -> str:
    return reading.text(alarm.get("NewStateValue") or alarm.get("StateValue")).upper()


def _other(body: dict[str, Json], now: datetime) -> list[Alert]:
    """What SNS or EventBridge brings of another service: by its subject, else by its first line."""
    message = _message(body)
    text = reading.text(body.get("Message")).partition("\n")[0] if not message else ""
    name = reading.first(body.get("Subject"), *(message.get(key) for key in _TEXTS), text)
    if not name:
        return []
    labels = {"alertname": name} | reading.pick(message, ("source", "account", "region", *_THINGS))
    if thing := reading.first(*(message.get(key) for key in _THINGS)):
        labels.setdefault("instance", thing)
    moment = reading.time(reading.first(message.get("Event Time"), message.get("time"), body.get("Timestamp")), now)
    told = reading.first(*(message.get(key) for key in _TEXTS), body.get("Message"), name)
    return [reading.alert(NAME, name, labels, {"summary": told}, starts_at=moment)]


def _dimensions(alarm: dict[str, Json]) -> dict[str, str]:
    listed = reading.at(alarm, "Trigger", "Dimensions") or alarm.get("Dimensions") or []
    pairs = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {
        name: value
        for one in pairs
        if (name := reading.first(one.get("name"), one.get("Name")))
        and (value := reading.first(one.get("value"), one.get("Value")))
    }
