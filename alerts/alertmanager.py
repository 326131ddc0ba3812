"""Prometheus Alertmanager: webhook version 4 and its elders, whole or half filled in."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "alertmanager"
_GRAFANA: Final = ("orgId", "appVersion")
_UNSET: Final = ("", "unknown", "none", "null")


def knows(body: Json) -> bool:
    """A list of alerts with labels, or a group without its list; and Grafana did not post it."""
    if isinstance(body, list):
        return bool(body) and all(_is_alert(one) for one in body)
    if not isinstance(body, dict) or any(key in body for key in _GRAFANA):
        return False
    listed = body.get("alerts")
    if isinstance(listed, list) and listed:
        return any(_is_alert(one) for one in listed)
    return "groupKey" in body and isinstance(body.get("commonLabels"), dict)


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per entry; of a group without entries one, made of what is common to it."""
    around = {"alerts": body} if isinstance(body, list) else body
    entries = [one for one in _listed(around) or [{}] if isinstance(one, dict)]
    return [_alert(one, around, now) for one in entries]


def gaps(body: Json) -> list[str]:
    """Alerts that the sender cut off, and entries that are none."""
    if not isinstance(body, dict):
        return []
    told = []
    cut = body.get("truncatedAlerts")
    if isinstance(cut, int) and cut > 0:
        told.append(f"alertmanager left {cut} alerts of this group out (truncatedAlerts)")
    if not _listed(body):
        told.append("the group lists no alerts; what is common to it was read as one")
    elif odd := sum(not isinstance(one, dict) for one in _listed(body)):
        told.append(f"{odd} entries of alerts[] are no objects")
    return told


def group(body: Json) -> str:
    """The key of the notification's group, within its receiver."""
    key = reading.text(reading.at(body, "groupKey"))
    return f"{reading.text(reading.at(body, 'receiver'))} {key}" if key else ""


def _listed(body: dict[str, Json]) -> list[Json]:
    listed = body.get("alerts")
    return listed if isinstance(listed, list) else []


def _is_alert(one: Json) -> bool:
    return isinstance(one, dict) and isinstance(one.get("labels"), dict)


def _alert(one: dict[str, Json], around: dict[str, Json], now: datetime) -> Alert:
    labels = reading.texts(around.get("commonLabels")) | reading.texts(one.get("labels"))
    annotations = reading.texts(around.get("commonAnnotations")) | reading.texts(one.get("annotations"))
    if url := reading.text(one.get("generatorURL")):
        annotations.setdefault("generatorURL", url)
    given = reading.text(one.get("fingerprint"))
    return reading.alert(
        NAME,
        name_of(labels, annotations, around),
        labels,
        annotations,
        level=reading.severity(labels.get("severity"), labels.get("level"), labels.get("priority")),
        state=_state(one, around, now),
        starts_at=reading.time(one.get("startsAt") or one.get("activeAt"), now),
        ends_at=reading.time(one.get("endsAt"), now),
        identity="" if given.lower() in _UNSET else given,
    )


def _state(one: dict[str, Json], around: dict[str, Json], now: datetime) -> AlertStatus | None:
    """By its own word or the group's; of what Prometheus sends to Alertmanager, which has none, by its end."""
    told = reading.status(one.get("status"), one.get("state"), around.get("status"), around.get("state"))
    ended = reading.time(one.get("endsAt"), now)
    over = told is None and not isinstance(one.get("status"), dict) and ended is not None and ended <= now
    return AlertStatus.RESOLVED if over else told


def name_of(labels: dict[str, str], annotations: dict[str, str], around: dict[str, Json]) -> str:
    """The rule's name, else what the alert says of itself."""
    return reading.first(
        labels.get("alertname"),
        reading.at(around, "groupLabels", "alertname"),
        around.get("title"),
        annotations.get("summary"),
        annotations.get("description"),
    )
