"""What every sender's file needs: single fields of a payload, read forgivingly."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Final

from analysis.lines.timestamps import Clock, parse_time
from analysis.text import clip
from domain.alert import Alert, AlertStatus
from domain.codec import Json, digest

_PHRASE: Final = 40  # characters of a severity such as `P1 - Critical`; a longer text is a sentence
LONGEST: Final = 2000  # characters of a label or annotation
_SEVERITIES: Final = {
    "critical": "critical crit fatal emergency emerg disaster page p0 p1 sev0 sev1 s1 blocker severe",
    "error": "error err high major average p2 sev2 s2 urgent",
    "warning": "warning warn medium moderate minor degraded p3 sev3 s3",
    "info": "info informational information low notice none ok p4 p5 sev4 sev5 debug normal up success",
}
_STATUSES: Final = {
    AlertStatus.RESOLVED: "resolved resolve ok closed close inactive recovered recovery normal up deactivated success "
    "cleared healthy completed ended end alert_recovery incident.resolve incident.resolved alert.resolved green",
    AlertStatus.FIRING: "firing alerting alarm open opened triggered trigger active activated problem down critical "
    "new created create unresolved error warning warn failed failing unhealthy no_data nodata pending acknowledged "
    "acknowledge failure fired started investigating identified incident.trigger incident.triggered "
    "incident.acknowledge incident.acknowledged alert.firing anomalous alert_failure red",
}
_SEVERITY: Final = {word: name for name, words in _SEVERITIES.items() for word in words.split()}
_STATUS: Final = {word: status for status, words in _STATUSES.items() for word in words.split()}
_DOTTED_ZONE: Final = re.compile(r"([+-]\d\d)\.(\d\d)$")
_EPOCH_START: Final = 86_400  # an earlier time is a zero that somebody formatted


def text(value: Json) -> str:
    """A scalar as text; what is none, or no scalar, is empty."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return clip(str(value).strip(), LONGEST) if isinstance(value, str | int | float) else ""


def texts(value: Json) -> dict[str, str]:
    """The scalars of an object by name, and those of its objects by dotted name; blanks are left out."""
    if not isinstance(value, dict):
        return {}
    flat = {str(key): text(item) for key, item in value.items()}
    for key, item in value.items():
        if isinstance(item, dict):
            flat |= {f"{key}.{inner}": text(part) for inner, part in item.items()}
        elif isinstance(item, list):
            flat[str(key)] = clip(", ".join(filter(None, map(text, item))), LONGEST)
    return {key: told for key, told in flat.items() if told}


def at(body: Json, *path: str) -> Json:
    """What stands at a path of keys, or None."""
    for key in path:
        body = body.get(key) if isinstance(body, dict) else None
    return body


def first(*values: Json) -> str:
    """The first of the values that has text."""
    return next((told for value in values if (told := text(value))), "")


def pick(body: Json, keys: Iterable[str]) -> dict[str, str]:
    """These keys of an object, as labels."""
    every = texts(body)
    return {key: every[key] for key in keys if key in every}


def time(value: Json, now: datetime) -> datetime | None:
    """The moment that a field states, or None: zeros that stand for `not set` are None."""
    if isinstance(value, str):
        value = _DOTTED_ZONE.sub(r"\1:\2", value.strip().removesuffix(" UTC"))
    if not isinstance(value, str | int | float) or isinstance(value, bool) or not value:
        return None
    return _moment(value, now)


@lru_cache(maxsize=256)  # alerts of one post began together, and have not ended
def _moment(value: str | float, now: datetime) -> datetime | None:
    found = parse_time(value, Clock(now))
    return found if found is not None and found.timestamp() > _EPOCH_START else None


def severity(*values: Json) -> str:
    """critical | error | warning | info | unknown, by the first value that is a word for one."""
    words = [text(value).lower().removeprefix("severity").strip() for value in values]
    whole = next((_SEVERITY[word] for word in words if word in _SEVERITY), "")
    parts = (part for word in words if len(word) <= _PHRASE for part in re.split(r"[^a-z0-9]+", word))
    return whole or next((_SEVERITY[part] for part in parts if part in _SEVERITY), "unknown")


def status(*values: Json) -> AlertStatus | None:
    """Firing or resolved, by the first value that is a word for one of them."""
    words = (text(value).lower().replace(" ", "_") for value in values)
    return next((_STATUS[word] for word in words if word in _STATUS), None)


def fingerprint(source: str, name: str, labels: dict[str, str]) -> str:
    """An identity for senders that give none: equal for equal labels, whatever their order."""
    return digest([source, name, labels])[:16]


def alert(
    source: str,
    name: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    *,
    level: str = "unknown",
    state: AlertStatus | None = None,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    identity: str = "",
) -> Alert:
    """An alert with what every sender leaves open filled in the same way."""
    state = state or AlertStatus.FIRING
    ended = ends_at if state is AlertStatus.RESOLVED else None
    identity = identity or fingerprint(source, name, labels)
    return Alert(source, name or "unnamed alert", labels, annotations, level, state, starts_at, ended, identity)
