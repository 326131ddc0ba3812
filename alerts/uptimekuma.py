"""Uptime Kuma: a monitor and the heartbeat that changed its state."""

import re
from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "uptime-kuma"
_UP: Final = ("1", "3")  # 0 down, 1 up, 2 pending, 3 maintenance
_WORDS: Final = re.compile(r"^\[(?P<name>[^\]]+)\](?:\s*\[(?P<url>[^\]]+)\])?\s*(?P<told>\S.*)")


def knows(body: Json) -> bool:
    """A heartbeat and a monitor; both are null in a test message."""
    return isinstance(body, dict) and "heartbeat" in body and "monitor" in body


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert a post; a test message is none."""
    beat, monitor = body["heartbeat"], body["monitor"]
    if not isinstance(monitor, dict):
        return _by_words(body)
    name = reading.text(monitor.get("name"))
    labels = {"alertname": name, "service": name} | reading.pick(monitor, ("url", "hostname", "port", "type", "id"))
    moment = reading.time(reading.first(reading.at(beat, "time"), reading.at(beat, "localDateTime")), now)
    up = reading.text(reading.at(beat, "status")) in _UP
    return [reading.alert(
        NAME, name, labels,
        {"summary": reading.first(body.get("msg"), reading.at(beat, "msg"), name)},
        level="critical",
        state=AlertStatus.RESOLVED if up else AlertStatus.FIRING,
        starts_at=moment, ends_at=moment,
        identity=reading.fingerprint(NAME, name, {"id": reading.text(monitor.get("id"))}),
    )]  # fmt: skip


def _by_words(body: dict[str, Json]) -> list[Alert]:
    """What is told in words alone: that a certificate ends soon. A test message is no alert."""
    found = _WORDS.match(reading.text(body.get("msg")))
    if found is None:
        return []
    labels = {"alertname": found["name"], "service": found["name"]} | ({"url": found["url"]} if found["url"] else {})
    up = "Up" in found["told"].split()[:2] or "✅" in found["told"]
    return [reading.alert(
        NAME, found["name"], labels, {"summary": body["msg"]}, level="warning",
        state=AlertStatus.RESOLVED if up else AlertStatus.FIRING,
        identity=reading.fingerprint(NAME, found["name"], {"told": re.sub(r"\d+", "", found["told"])}),
    )]  # fmt: skip
