"""Containers that were given up before they were ever well: the check's patience ended while they were starting."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.lines.timestamps import engine_time
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.facts import Attribute, Fact

NAME: Final = "check_too_early"
FAULT: Final = "health.check_too_early"
_SLACK: Final = 1.5  # how much later than the check's own times a container may be given up: checks take time, too
_SOON: Final = 0.8  # a restart that comes sooner than the check can judge is somebody's or something's else


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that was found unhealthy as soon as the check allows, with what it was doing."""
    for at, fact in enumerate(case.facts):
        allowed = _allowed(fact) if fact.kind == "container" else 0.0
        lived = (_lived(case, fact) or _healed(case, fact, allowed)) if allowed else None
        if lived is None or lived[1] > allowed * _SLACK or _was_well(case, fact):
            continue
        told_work = (each for each in case.findings if each.kind == FAULT and "work" in each.captures)
        work = next((each for each in told_work if _is_of(case, each, fact)), None)
        told: dict[str, Attribute] = {"name": NAME, "value": round(allowed)}
        told |= {"text": work.captures["work"]} if work else {}
        event, _ = lived
        cited = (*case.cite(at, "health_command"), *case.cite(event, "action"), *(work.citations[:1] if work else ()))
        yield JoinedFact(Fact("note", work.entity if work else fact.entity, told), cited)


def _allowed(fact: Fact) -> float:
    """Seconds from a container's start within which it must be well; 0 where that is not told."""
    told = fact.attributes
    interval, retries = told.get("health_interval"), told.get("health_retries")
    if not isinstance(interval, int | float) or not isinstance(retries, int) or told.get("health") == "healthy":
        return 0.0
    start = told.get("health_start_period")
    return interval * retries + (start if isinstance(start, int | float) else 0.0)


def _lived(case: Case, fact: Fact) -> tuple[int, float] | None:
    """The event that the container was given up by, and how many seconds after its last start that was."""
    if (started := engine_time(fact.attributes.get("started_at"))) is None:
        return None
    found = [
        (at, (event.at - started).total_seconds())
        for at, event in enumerate(case.facts)
        if event.kind == "event" and event.at and case.inventory.same(event.entity, fact.entity)
        if event.attributes.get("reason") == "health_status" and event.attributes.get("message") == "unhealthy"
    ]
    return min((each for each in found if each[1] > 0), key=lambda each: each[1], default=None)


def _healed(case: Case, fact: Fact, allowed: float) -> tuple[int, float] | None:
    """The restart by a watcher (autoheal, a script) that came as long after another as the check takes to give up.

    The engine tells `restart` where somebody asked for it; its own restart policy says `die` and `start`.
    """
    found = [
        (event.at, at)
        for at, event in enumerate(case.facts)
        if event.kind == "event" and event.at and event.attributes.get("reason") == "restart"
        if case.inventory.same(event.entity, fact.entity)
    ]
    found.sort()
    gaps = ((at, (later - sooner).total_seconds()) for (sooner, _), (later, at) in pairwise(found))
    return next((gap for gap in gaps if allowed * _SOON <= gap[1] <= allowed * _SLACK), None)


def _was_well(case: Case, fact: Fact) -> bool:
    return any(
        event.kind == "event" and event.attributes.get("message") == "healthy"
        for event in case.facts
        if case.inventory.same(event.entity, fact.entity)
    )


def _is_of(case: Case, finding: Finding, fact: Fact) -> bool:
    """Whether a log is the container's, or that of the service whose task the container is."""
    if case.inventory.same(finding.entity, fact.entity):
        return True
    return kind_of(finding.entity) == "service" and name_of(fact.entity).startswith(f"{name_of(finding.entity)}.")
