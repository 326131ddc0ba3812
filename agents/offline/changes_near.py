"""Changes shortly before the alert, as findings about the change."""

from collections.abc import Iterator
from typing import Final

from domain.entity import entity
from domain.evidence import Citation, Finding, Severity
from domain.results import Change, Changes

NEAR_MINUTES: Final = 180.0
MOST: Final = 12


def change_findings(found: Changes, call_id: str) -> Iterator[Finding]:
    """One finding for each change that came shortly before and can reach the symptom."""
    near = [(at, change) for at, change in enumerate(found.changes) if _is_near(change)]
    for at, change in near[:MOST]:
        yield Finding(
            _entity(change),
            "change.near",
            _statement(change),
            (_citation(at, change, call_id),),
            onset=change.time,
            severity=Severity.INFO,
            weight=_weight(change),
            captures={"change": change.id, "service": change.entity},
        )


def _is_near(change: Change) -> bool:
    return (
        change.minutes_before is not None
        and 0 <= change.minutes_before <= NEAR_MINUTES
        and change.reachable is not False
    )


def _entity(change: Change) -> str:
    return entity("change", change.commit if change.kind == "deploy" and change.commit else change.id or "unknown")


def _statement(change: Change) -> str:
    what = f": {change.summary}" if change.summary else ""
    when = f"{change.minutes_before:.0f} minutes before the alert"
    return f"{change.kind} of {change.entity or 'an unnamed thing'} {when}{what}"


def _citation(at: int, change: Change, call_id: str) -> Citation:
    if change.quote:
        return Citation(call_id, change.source, change.line, change.quote)
    return Citation(call_id, change.source, path=f"/changes/{at}/id", value=change.id)


def _weight(change: Change) -> float:
    """The nearer, and the more surely it reaches the symptom, the more; a change alone proves little."""
    near = 1.0 - (change.minutes_before or 0.0) / NEAR_MINUTES
    return round(0.15 + 0.25 * near + (0.1 if change.reachable else 0.0), 3)
