"""What comes in by webhook becomes incidents: one transaction a post, all of it or nothing."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Protocol

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from alerts import Received
from alerts.entities import subjects
from analysis.grouping import ABOUT, CHANGES, GROUP, NAME, Account, Grouping, Keyed, Limits, Placed, neighbours
from analysis.secrets.redaction import Redactor
from analysis.text import clip, strip_control
from domain.alert import Alert
from domain.codec import Json, digest
from store import alerts
from store.alerts import Entry
from store.database import Database
from store.text import storable

LOOKS_BACK: Final = timedelta(hours=24)  # an alert that began earlier is looked at from when it came in
TITLE: Final = 160
_NO_GROUP: Final = ("", "{}:{}", "{}")  # a sender that puts all it has into one group says nothing by it
_UNGROUPED: Final = GROUP + "less"  # such alerts came together, and are kept together as others about one thing are


class Enqueue(Protocol):
    """Defers one job for each incident, in the caller's transaction."""

    async def __call__(self, connection: AsyncConnection[DictRow], /, *incident_ids: str) -> int:
        """How many are new: where one waits already there is no other."""


@dataclass(frozen=True)
class Rules:
    """How alerts become incidents."""

    limits: Limits = field(default_factory=Limits)
    forget: timedelta = timedelta(hours=24)  # an open incident that was not heard of so long is over


DEFAULT: Final = Rules()


@dataclass(frozen=True)
class _Post:
    """What can be said of a post before anything is looked up."""

    alerts: tuple[Alert, ...]
    gaps: tuple[str, ...]
    about: tuple[tuple[str, ...], ...]  # names, for each alert
    keys: tuple[tuple[str, ...], ...]  # for each alert


async def take(
    database: Database, received: Received, identity: str, now: datetime, enqueue: Enqueue, rules: Rules = DEFAULT
) -> tuple[str, ...]:
    """Keep the alerts, and give the incidents they are in. Raises StoreUnavailable, and then nothing was kept."""
    if not received.alerts:
        return ()
    post = _post(received)  # before others have to wait for us
    # a pipeline from the first statement on: what needs no answer waits for none
    async with database.connection() as connection, connection.pipeline(), connection.transaction():
        placed = await _placed(connection, post, rules, now)
        await alerts.put(connection, [_entry(one, now) for one in placed], identity, post.gaps, now)
        if changed := _incidents(one for one in placed if one.account in CHANGES):
            await enqueue(connection, *changed)
    return _incidents(placed)


def _post(received: Received) -> _Post:
    storables = tuple(_storable(alert) for alert in received.alerts)
    about = tuple(tuple(subjects(alert)) for alert in storables)
    keys = tuple(_keys(alert, names, received) for alert, names in zip(storables, about, strict=True))
    return _Post(storables, tuple(received.gaps), about, keys)


async def _placed(
    connection: AsyncConnection[DictRow], post: _Post, rules: Rules, now: datetime
) -> tuple[Placed, ...]:  # fmt: skip
    """The decision about each alert, in order."""
    question = alerts.Question(
        post.alerts, [name for names in post.about for name in names], [key for keys in post.keys for key in keys], now
    )  # fmt: skip
    seen = await alerts.look(connection, question, rules.limits, rules.forget)
    keyed = [
        Keyed(alert, keys, neighbours(names, seen.edges))
        for alert, keys, names in zip(post.alerts, post.keys, post.about, strict=True)
    ]  # fmt: skip
    near = {key for one in keyed for key in one.near}
    seen.known.keyed |= await alerts.with_keys(connection, near, rules.limits, now)
    grouping = Grouping(seen.known, seen.silences, now, _new_ids(now), rules.limits)
    return tuple(grouping.place(one) for one in keyed)


def _keys(alert: Alert, names: Sequence[str], received: Received) -> tuple[str, ...]:
    """What may keep the alert together with others, the strongest first."""
    group = received.group.strip()
    kind = _UNGROUPED if group.rpartition(" ")[2] in _NO_GROUP else GROUP
    grouped = [f"{kind} {received.source} {digest(group)[:16] if len(group) > TITLE else group}"] if group else []
    about = [f"{ABOUT} {name}" for name in names] or [f"{NAME} {alert.source} {alert.name}"]
    return tuple(storable(key) for key in (*grouped, *about))


def _storable(alert: Alert) -> Alert:
    """Text that the store and RE2 take, so that an alert is known by the same words everywhere."""
    return replace(
        alert, name=storable(alert.name), fingerprint=storable(alert.fingerprint), labels=_texts(alert.labels),
        annotations=_texts(alert.annotations),
    )  # fmt: skip


def _texts(pairs: dict[str, str]) -> dict[str, str]:
    return {storable(key): storable(value) for key, value in pairs.items()}


def _entry(placed: Placed, now: datetime) -> Entry:
    """What is kept of a decision; of a duplicate the incident has the alert."""
    alert = placed.keyed.alert
    kept = None if placed.account is Account.DUPLICATE else _redacted(alert, placed.incident_id)
    told = strip_control(kept["annotations"].get("summary") or kept["name"]) if kept else ""
    began = alert.starts_at
    fired_at = began if began is not None and now - LOOKS_BACK <= began <= now else now
    return Entry(placed, kept, clip(" ".join(told.split()), TITLE), fired_at)


def _redacted(alert: Alert, incident_id: str) -> Json:
    """The alert without secrets: placeholders are those of the incident's own investigation."""
    told = _redactor(incident_id).redact_json({
        "name": alert.name, "labels": alert.labels, "annotations": alert.annotations
    })  # fmt: skip
    return told | {
        "source": alert.source, "severity": alert.severity, "status": alert.status.value,
        "starts_at": alert.starts_at and alert.starts_at.isoformat(),
        "ends_at": alert.ends_at and alert.ends_at.isoformat(), "fingerprint": alert.fingerprint,
    }  # fmt: skip


class _Remembering(Redactor):
    """Labels of alerts say the same again and again."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.redact = lru_cache(maxsize=2048)(super().redact)  # type: ignore[method-assign]


@lru_cache(maxsize=32)
def _redactor(incident_id: str) -> Redactor:
    return _Remembering(digest(incident_id).encode())


def _incidents(placed: Iterator[Placed] | Sequence[Placed]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.incident_id for one in placed if one.incident_id))


def _new_ids(now: datetime) -> Iterator[str]:
    while True:
        yield f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:8]}"
