"""What a report does not explain has an incident of its own: in the transaction that keeps the report."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from alerts.entities import subjects
from analysis.grouping import ABOUT, NAME
from analysis.text import clip, strip_control
from app.investigation import redactor_of
from domain.alert import Alert
from domain.codec import from_plain
from domain.diagnosis import AlertAccount, Diagnosis, Verdict
from store import jobs, splits
from store.splits import Kept, Rest
from store.text import storable

MOST_OPENED: Final = 2  # times as many incidents as make a storm: then nothing is split any more
_TITLE: Final = 160
_NOT_EXPLAINED: Final = "not_explained"
Connection = AsyncConnection[DictRow]


def leaves_over(diagnosis: Diagnosis) -> bool:
    """Whether it explains some of the alerts, and others not."""
    accounts = {each.account for each in diagnosis.alerts}
    return diagnosis.verdict is not Verdict.UNDETERMINED and _NOT_EXPLAINED in accounts and len(accounts) > 1


async def split(
    connection: Connection, incident_id: str, accounts: Sequence[AlertAccount], window: timedelta, storm: int
) -> tuple[str, int]:
    """Move the alerts that still fire and are not explained, and ask for an investigation of them. The incident that
    has them now, and how many they are; nothing where the incident is such a one itself, or too many were opened. The
    caller holds the lock."""
    now = datetime.now(UTC)
    kept = await splits.members(connection, incident_id)
    left, clean = _left(accounts), redactor_of(incident_id).redact
    moved = [one for one in kept if one.firing and clean(one.fingerprint) in left]
    if not moved or not await splits.may_split(connection, incident_id, now - window, MOST_OPENED * storm):
        return "", 0
    others = {one.id for one in moved}
    rest = _rest(incident_id, moved, [one for one in kept if one.id not in others], now)
    other = await splits.move(connection, rest, now)
    await jobs.enqueue(connection, other)
    return other, len(moved)


def _left(accounts: Sequence[AlertAccount]) -> set[str]:
    """Fingerprints, redacted as the report's are, that are not explained, whoever sent them. What came in since the
    investigation saw the incident has no account and stays."""
    told = {each.fingerprint for each in accounts if each.account != _NOT_EXPLAINED}
    return {each.fingerprint for each in accounts} - told


def _rest(incident_id: str, moved: Sequence[Kept], others: Sequence[Kept], now: datetime) -> Rest:
    alerts = [from_plain(Alert, one.alert) for one in moved]
    keys = {key for alert in alerts for key in _keys(alert)}
    stay = {key for one in others for key in _keys(from_plain(Alert, one.alert))}
    began = min(
        (a.starts_at for a in alerts if a.starts_at and now - timedelta(days=1) <= a.starts_at <= now), default=now
    )
    told = strip_control(alerts[0].annotations.get("summary") or alerts[0].name)
    why = f"split off from {incident_id}, whose cause does not explain it"
    return Rest(incident_id, moved, clip(" ".join(told.split()), _TITLE), began, sorted(keys), sorted(keys - stay), why)


def _keys(alert: Alert) -> list[str]:
    """What keeps the alert together with others, its sender's group aside."""
    return [storable(f"{ABOUT} {name}") for name in subjects(alert)] or [
        storable(f"{NAME} {alert.source} {alert.name}")
    ]
