"""Alerts that came in: what became of each, and the incidents they are in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from analysis.grouping import CHANGES, Account, Known, Limits, Member, Near, Placed
from domain.alert import Alert, AlertStatus
from domain.codec import Json
from store.queries import queries
from store.text import storable, storable_json

MOST_GAPS: Final = 50  # of an incident
BEFORE: Final = timedelta(hours=1)  # how far an incident's window begins before its first alert
Connection = AsyncConnection[DictRow]


@dataclass(frozen=True)
class Entry:
    """A decision, with the alert as it is to be kept."""

    placed: Placed
    kept: Json  # redacted; None where the incident has it
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


async def lock(connection: Connection) -> None:
    """Be the one who decides, until the end of the transaction."""
    await _run(connection, "lock")


async def expire(connection: Connection, before: datetime) -> None:
    """Close what was not heard of since."""
    await _run(connection, "expire", before=before)


async def neighbours(connection: Connection, names: Iterable[str]) -> dict[str, list[str]]:
    """Who needs each of these, and whom each needs."""
    asked = {storable(name) for name in names}
    found: dict[str, list[str]] = {}
    for row in await _rows(connection, "neighbours", names=sorted(asked)):
        found.setdefault(row["caller"], []).append(row["callee"])
        found.setdefault(row["callee"], []).append(row["caller"])
    return {name: sorted(near) for name, near in found.items() if name in asked}


async def learn(connection: Connection, edges: Iterable[tuple[str, str]]) -> None:
    """Remember that callers need callees, by entity or name; alerts of both are grouped from then on."""
    pairs = sorted({(_bare(caller), _bare(callee)) for caller, callee in edges})
    await _run(connection, "learn", callers=[one for one, _ in pairs], callees=[other for _, other in pairs])


async def known(
    connection: Connection, alerts: Iterable[Alert], keys: Iterable[str], limits: Limits, now: datetime
) -> Known:
    """What is there already of these alerts and keys."""
    asked = sorted({(storable(alert.source), storable(alert.fingerprint)) for alert in alerts})
    members = await _rows(
        connection, "members", sources=[source for source, _ in asked], fingerprints=[print_ for _, print_ in asked],
        closed_since=now - limits.cooldown,
    )  # fmt: skip
    since = now - limits.window
    keyed = await _rows(connection, "keyed", keys=sorted(set(keys)), since=now - max(limits.group, limits.window))
    opened = await _rows(connection, "opened", since=since)
    storm = await _rows(connection, "storm", since=since)
    return Known(
        {(r["source"], r["fingerprint"]): Member(r["incident_id"], r["firing"], r["closed"]) for r in members},
        {row["key"]: Near(row["id"], row["grown_at"]) for row in keyed},
        opened[0]["opened"],
        next((Near(row["id"], row["grown_at"]) for row in storm), None),
    )


async def put(connection: Connection, entries: Sequence[Entry], identity: str, now: datetime) -> None:
    """Write all decisions down: new incidents, what is in them, what became of every alert."""
    await _open(connection, [entry for entry in entries if entry.placed.account is Account.NEW], now)
    inside = [entry for entry in entries if entry.placed.incident_id]
    if inside:
        await _heard(connection, inside, now)
        await _put_members(connection, inside)
        await _put_keys(connection, [entry.placed for entry in inside if entry.placed.account in CHANGES])
    await _log(connection, entries, identity, now)


async def add_gaps(connection: Connection, incident_ids: Sequence[str], gaps: Sequence[str]) -> None:
    """What was odd about the post, at the incidents that it changed."""
    await _run(
        connection, "add_gaps", ids=list(incident_ids), gaps=[storable(gap) for gap in gaps], most=MOST_GAPS
    )  # fmt: skip


async def close(connection: Connection, incident_ids: Sequence[str], now: datetime) -> tuple[str, ...]:
    """Close those of these incidents of which nothing fires any more."""
    return tuple(row["id"] for row in await _rows(connection, "close", ids=list(incident_ids), now=now))


async def of_incident(connection: Connection, incident_id: str, limit: int = 200) -> tuple[Logged, ...]:
    """What came in for an incident, the latest first."""
    rows = await _rows(connection, "of_incident", incident_id=storable(incident_id), limit=limit)
    return tuple(Logged(**row) for row in rows)


async def accounts(connection: Connection, incident_id: str) -> dict[str, int]:
    """How many alerts of an incident were taken how."""
    rows = await _rows(connection, "accounts", incident_id=storable(incident_id))
    return {row["account"]: row["count"] for row in rows}


async def _open(connection: Connection, entries: Sequence[Entry], now: datetime) -> None:
    if not entries:
        return
    await _run(
        connection, "open", ids=[entry.placed.incident_id for entry in entries],
        titles=[storable(entry.title) for entry in entries], fired=[entry.fired_at for entry in entries],
        storms=[entry.placed.storm for entry in entries], now=now, before_seconds=BEFORE.total_seconds(),
    )  # fmt: skip


async def _heard(connection: Connection, entries: Sequence[Entry], now: datetime) -> None:
    by_incident: dict[str, list[Entry]] = {}
    for entry in entries:
        by_incident.setdefault(entry.placed.incident_id, []).append(entry)
    grown = {one: [e for e in some if e.placed.account in CHANGES] for one, some in by_incident.items()}
    await _run(
        connection, "heard", ids=list(by_incident), now=now, before_seconds=BEFORE.total_seconds(),
        grown=[bool(some) for some in grown.values()],
        reopened=[any(e.placed.account is Account.COOLDOWN for e in some) for some in by_incident.values()],
        fired=[min((entry.fired_at for entry in some), default=now) for some in grown.values()],
    )  # fmt: skip


async def _put_members(connection: Connection, entries: Sequence[Entry]) -> None:
    """Of an alert that came in several times the last state counts."""
    latest = {(e.placed.incident_id, *e.placed.keyed.identity): e for e in entries if e.kept is not None}
    if latest:
        await _run(
            connection, "put_members", incident_ids=[one for one, _, _ in latest],
            sources=[storable(source) for _, source, _ in latest],
            fingerprints=[storable(print_) for _, _, print_ in latest],
            firing=[entry.placed.keyed.alert.status is AlertStatus.FIRING for entry in latest.values()],
            alerts=[storable_json(entry.kept) for entry in latest.values()],
        )  # fmt: skip


async def _put_keys(connection: Connection, placed: Sequence[Placed]) -> None:
    pairs = sorted({(storable(key), one.incident_id) for one in placed for key in one.keyed.keys})
    if pairs:
        await _run(connection, "put_keys", keys=[key for key, _ in pairs], incident_ids=[one for _, one in pairs])


async def _log(connection: Connection, entries: Sequence[Entry], identity: str, now: datetime) -> None:
    alerts, placed = [entry.placed.keyed.alert for entry in entries], [entry.placed for entry in entries]
    await _run(
        connection, "log", now=now, identity=identity, sources=[storable(alert.source) for alert in alerts],
        fingerprints=[storable(alert.fingerprint) for alert in alerts],
        names=[storable(alert.name) for alert in alerts], statuses=[alert.status.value for alert in alerts],
        accounts=[one.account.value for one in placed], whys=[storable(one.why) for one in placed],
        incident_ids=[one.incident_id for one in placed],
        alerts=[None if entry.kept is None else storable_json(entry.kept) for entry in entries],
    )  # fmt: skip


def _bare(entity: str) -> str:
    kind, colon, name = storable(entity).partition(":")
    return (name if colon else kind).lower()


async def _run(connection: Connection, query: str, **values: Any) -> None:
    await connection.execute(queries("alerts")[query], values)


async def _rows(connection: Connection, query: str, **values: Any) -> Sequence[Mapping[str, Any]]:
    return await (await connection.execute(queries("alerts")[query], values)).fetchall()
