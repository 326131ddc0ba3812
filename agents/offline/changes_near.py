"""Changes shortly before the alert, as findings about the change: what was changed, not what is to blame."""

from collections.abc import Collection, Iterator
from typing import Final

from domain.entity import entity
from domain.evidence import Citation, Finding, Severity
from domain.results import Change, Changes

NEAR_MINUTES: Final = 180.0
MOST: Final = 12
MOST_WEIGHT: Final = 0.2  # to have come shortly before is no reason by itself: most such deploys are harmless


def change_findings(found: Changes, call_id: str, blamed: Collection[str] = ()) -> Iterator[Finding]:
    """One finding for each change that came shortly before and can reach the symptom, without those `blamed`."""
    near = [(at, change) for at, change in enumerate(found.changes) if _is_near(change)]
    told = [(at, change) for at, change in near if change_entity(change) not in blamed]
    for at, change in told[:MOST]:
        yield Finding(
            change_entity(change),
            "change.near",
            _statement(change),
            (cited(at, change, call_id),),
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


def change_entity(change: Change) -> str:
    """`change:` and its id; of a deploy that names its commit, the commit."""
    return entity("change", change.commit if change.kind == "deploy" and change.commit else change.id or "unknown")


def _statement(change: Change) -> str:
    what = f": {change.summary}" if change.summary else ""
    when = f"{change.minutes_before:.0f} minutes before the alert"
    return f"{change.kind} of {change.entity or 'an unnamed thing'} {when}{what}"


def cited(at: int, change: Change, call_id: str) -> Citation:
    """The change's own record: its line, or its place among the changes that were listed."""
    if change.quote:
        return Citation(call_id, change.source, change.line, change.quote)
    return Citation(call_id, change.source, path=f"/changes/{at}/id", value=change.id)


def _weight(change: Change) -> float:
    """The nearer, and the more surely it reaches the symptom, the more."""
    near = 1.0 - (change.minutes_before or 0.0) / NEAR_MINUTES
    return round(MOST_WEIGHT * (0.4 + 0.35 * near + (0.25 if change.reachable else 0.0)), 3)
