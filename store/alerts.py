"""Alerts that came in: what became of each, and the incidents they are in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow

from analysis.grouping import CHANGES, Account, Known, Limits, Member, Near, Placed
from domain.alert import Alert, AlertStatus
from domain.codec import Json
from domain.silence import Silence
from store import silences
from store.queries import queries
from store.text import storable, storable_json

MOST_GAPS: Final = 50  # of an incident
BEFORE: Final = timedelta(hours=1)  # how far an incident's window begins before its first alert
Connection = AsyncConnection[DictRow]


@dataclass(frozen=True)
class Entry:
    """A decision, with the alert as it is to be kept."""

    placed: Placed
    kept: Json  # redacted; None of a duplicate, which the incident has
    title: str  # of the incident, should it open one
    fired_at: datetime


@dataclass(frozen=True)
class Logged:
    """What became of an alert."""

    id: int
    received_at: datetime
    source: str
    identity: str  # who sent it
    fingerprint: str
    name: str
    status: str
    account: str
    why: str


@dataclass(frozen=True)
class Question:
    """What a post is about."""

    alerts: Sequence[Alert]
    names: Sequence[str]  # of what they are about
    keys: Sequence[str]
    now: datetime


@dataclass(frozen=True)
class Seen:
    """What there is already."""

    known: Known
    edges: Mapping[str, Sequence[str]]  # who needs each of the names, and whom each needs
    silences: tuple[Silence, ...]


async def look(connection: Connection, question: Question, limits: Limits, forget: timedelta) -> Seen:
    """Be the one who decides until the end of the transaction, close what was not heard of for long, and look: in one
    round trip."""
    now, names = question.now, sorted({storable(name) for name in question.names})
    since = now - limits.window
    asked = sorted({(storable(alert.source), storable(alert.fingerprint)) for alert in question.alerts})
    async with connection.pipeline():
        await _cursor(connection, "lock")
        await _cursor(connection, "expire", before=now - forget)
        edges = await _cursor(connection, "neighbours", names=names)
        quiet = await silences.ask_active(connection, now)
        members = await _cursor(
            connection, "members", sources=[source for source, _ in asked], closed_since=now - limits.cooldown,
            fingerprints=[fingerprint for _, fingerprint in asked],
        )  # fmt: skip
        keyed = await _cursor(connection, "keyed", keys=sorted(set(question.keys)), since=_earliest(limits, now))
        opened = await _cursor(connection, "opened", since=since)
        storm = await _cursor(connection, "storm", since=since, most=max(limits.storm, 1))
    known = Known(
        {
            (r["source"], r["fingerprint"]): Member(r["incident_id"], r["firing"], r["closed"])
            for r in await members.fetchall()
        },
        _near(await keyed.fetchall()),
        (await opened.fetchall())[0]["opened"],
        next((Near(row["id"], row["grown_at"]) for row in await storm.fetchall()), None),
    )
    return Seen(known, _both_ways(await edges.fetchall(), names), silences.read(await quiet.fetchall()))


async def with_keys(connection: Connection, keys: Iterable[str], limits: Limits, now: datetime) -> dict[str, Near]:
    """For each key the open incident that has it."""
    wanted = sorted({storable(key) for key in keys})
    if not wanted:
        return {}
    cursor = await _cursor(connection, "keyed", keys=wanted, since=_earliest(limits, now))
    return _near(await cursor.fetchall())


async def learn(connection: Connection, edges: Iterable[tuple[str, str]]) -> None:
    """Remember that callers need callees, by entity or name; alerts of both are grouped from then on."""
    pairs = sorted({(_bare(caller), _bare(callee)) for caller, callee in edges})
    await _cursor(connection, "learn", callers=[one for one, _ in pairs], callees=[other for _, other in pairs])


def _earliest(limits: Limits, now: datetime) -> datetime:
    return now - max(limits.group, limits.window)


def _near(rows: Sequence[DictRow]) -> dict[str, Near]:
    return {row["key"]: Near(row["id"], row["grown_at"]) for row in rows}


def _both_ways(rows: Sequence[DictRow], names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for row in rows:
        for one, other in ((row["caller"], row["callee"]), (row["callee"], row["caller"])):
            if one in found:
                found[one].append(other)
    return {name: sorted(near) for name, near in found.items() if near}


async def put(
    connection: Connection, entries: Sequence[Entry], identity: str, gaps: Sequence[str], now: datetime
) -> None:
    """Write all decisions down: new incidents, what is in them, what became of every alert. Nothing is read: in a
    pipeline this is one round trip."""
    inside = [entry for entry in entries if entry.placed.incident_id]
    changed = [entry.placed for entry in entries if entry.placed.account in CHANGES]
    ended = {entry.placed.incident_id for entry in inside if entry.placed.account is Account.RESOLVED}
    await _open(connection, [entry for entry in entries if entry.placed.account is Account.NEW], now)
    if inside:
        await _heard(connection, inside, now)
        await _put_members(connection, inside)
        await _put_keys(connection, changed)
    await _log(connection, entries, identity, now)
    if gaps and changed:
        ids = sorted({one.incident_id for one in changed})
        await _cursor(connection, "add_gaps", ids=ids, gaps=[storable(gap) for gap in gaps], most=MOST_GAPS)
    if ended:
        await _cursor(connection, "close", ids=sorted(ended), now=now)


async def open_one(connection: Connection, incident_id: str, title: str, fired_at: datetime, now: datetime) -> None:
    """Open an incident that no post opens; one that is there stays as it is."""
    await _cursor(
        connection, "open", ids=[incident_id], titles=[storable(title)], fired=[fired_at], storms=[False], now=now,
        before_seconds=BEFORE.total_seconds(),
    )  # fmt: skip


async def keep_together(connection: Connection, incident_id: str, keys: Sequence[str], gap: str) -> None:
    """What keeps further alerts together with an incident, and what is to be said of where its alerts come from."""
    await _cursor(connection, "put_keys", keys=list(keys), incident_ids=[incident_id] * len(keys))
    await _cursor(connection, "add_gaps", ids=[incident_id], gaps=[storable(gap)], most=MOST_GAPS)


async def close_settled(connection: Connection, incident_id: str, now: datetime) -> None:
    """Close an incident of which no alert fires any more."""
    await _cursor(connection, "close", ids=[incident_id], now=now)


async def prune(connection: Connection, keep_seconds: float, limit: int) -> int:
    """Forget what became of so many alerts that came in longer ago, and are in no open incident; they stay counted."""
    row = await (await _cursor(connection, "prune", keep_seconds=keep_seconds, limit=limit)).fetchone()
    return int(row["gone"]) if row else 0


async def of_incident(connection: Connection, incident_id: str, limit: int = 200) -> tuple[Logged, ...]:
    """What came in for an incident, the latest first."""
    cursor = await _cursor(connection, "of_incident", incident_id=storable(incident_id), limit=limit)
    return tuple(Logged(**row) for row in await cursor.fetchall())


async def accounts(connection: Connection, incident_id: str) -> dict[str, int]:
    """How many alerts of an incident were taken how."""
    cursor = await _cursor(connection, "accounts", incident_id=storable(incident_id))
    return {row["account"]: row["count"] for row in await cursor.fetchall()}


async def _open(connection: Connection, entries: Sequence[Entry], now: datetime) -> None:
    if not entries:
        return
    await _cursor(
        connection, "open", ids=[entry.placed.incident_id for entry in entries],
        titles=[storable(entry.title) for entry in entries], fired=[entry.fired_at for entry in entries],
        storms=[entry.placed.storm for entry in entries], now=now, before_seconds=BEFORE.total_seconds(),
    )  # fmt: skip


async def _heard(connection: Connection, entries: Sequence[Entry], now: datetime) -> None:
    by_incident: dict[str, list[Entry]] = {}
    for entry in entries:
        by_incident.setdefault(entry.placed.incident_id, []).append(entry)
    grown = {one: [e for e in some if e.placed.account in CHANGES] for one, some in by_incident.items()}
    await _cursor(
        connection, "heard", ids=list(by_incident), now=now, before_seconds=BEFORE.total_seconds(),
        grown=[bool(some) for some in grown.values()],
        reopened=[any(e.placed.account is Account.COOLDOWN for e in some) for some in by_incident.values()],
        fired=[min((entry.fired_at for entry in some), default=now) for some in grown.values()],
    )  # fmt: skip


async def _put_members(connection: Connection, entries: Sequence[Entry]) -> None:
    """Of an alert that came in several times the last state counts."""
    latest = {(e.placed.incident_id, *e.placed.keyed.identity): e for e in entries if e.kept is not None}
    if latest:
        await _cursor(
            connection, "put_members", incident_ids=[one for one, _, _ in latest],
            sources=[storable(source) for _, source, _ in latest],
            fingerprints=[storable(print_) for _, _, print_ in latest],
            firing=[entry.placed.keyed.alert.status is AlertStatus.FIRING for entry in latest.values()],
            alerts=[storable_json(entry.kept) for entry in latest.values()],
        )  # fmt: skip


async def _put_keys(connection: Connection, placed: Sequence[Placed]) -> None:
    pairs = sorted({(storable(key), one.incident_id) for one in placed for key in one.keyed.keys})
    if pairs:
        await _cursor(connection, "put_keys", keys=[key for key, _ in pairs], incident_ids=[one for _, one in pairs])


async def _log(connection: Connection, entries: Sequence[Entry], identity: str, now: datetime) -> None:
    alerts, placed = [entry.placed.keyed.alert for entry in entries], [entry.placed for entry in entries]
    await _cursor(
        connection, "log", now=now, identity=identity, sources=[storable(alert.source) for alert in alerts],
        fingerprints=[storable(alert.fingerprint) for alert in alerts],
        names=[storable(alert.name) for alert in alerts], statuses=[alert.status.value for alert in alerts],
        accounts=[one.account.value for one in placed], whys=[storable(one.why) for one in placed],
        incident_ids=[one.incident_id for one in placed],
        alerts=["" if entry.placed.incident_id else storable_json(entry.kept) for entry in entries],
    )  # fmt: skip


def _bare(entity: str) -> str:
    kind, colon, name = storable(entity).partition(":")
    return (name if colon else kind).lower()


async def _cursor(connection: Connection, query: str, **values: Any) -> AsyncCursor[DictRow]:
    return await connection.execute(queries("alerts")[query], values)
