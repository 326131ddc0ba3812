"""Containers that stayed down after a restart of the machine, since nothing was told to start them again."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "not started again"
_NEVER: Final = ("no", "")
_ALWAYS: Final = ("always", "unless-stopped")
_BOOTED: Final = ("host.rebooted",)
_JOB: Final = timedelta(minutes=10)  # what ended well so soon was to end
_LATELY: Final = 2 * 86400  # seconds


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each ended container without restart policy, where the machine was restarted and others came up."""
    containers = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "container"]
    back = [(at, fact) for at, fact in containers if _is(fact, "running", _ALWAYS)]
    booted = _booted(case)
    if not back or booted is None:
        return
    told: set[str] = set()
    for at, fact in containers:
        before = _time(fact, "started_at")
        later = (moment for _, each in back if (moment := _time(each, "started_at")) is not None)
        earlier = before is None or any(before + timedelta(minutes=1) < moment for moment in later)
        if fact.entity not in told and earlier and _is(fact, "exited", _NEVER) and _ended_well(fact):
            told.add(fact.entity)
            text = "its restart policy is no, so the engine did not start it again after the machine was restarted"
            cited = (*case.cite(at, "restart_policy", "state"), *booted)
            yield JoinedFact(Fact("note", fact.entity, {"name": NAME, "text": text}), cited)


def _booted(case: Case) -> tuple[Citation, ...] | None:
    """Where it is told that the machine was restarted lately: a log, or its uptime."""
    told = next((each for each in case.findings if each.kind in _BOOTED and each.citations), None)
    if told is not None:
        return told.citations[:1]
    for at, fact in enumerate(case.facts):
        up = fact.attributes.get("uptime_seconds") if fact.kind == "load" else None
        if isinstance(up, int | float) and 0 <= up < _LATELY:
            return case.cite(at, "uptime_seconds")
    return None


def _is(fact: Fact, state: str, policies: tuple[str, ...]) -> bool:
    told = fact.attributes
    return told.get("state") == state and "restart_policy" in told and told["restart_policy"] in policies


def _ended_well(fact: Fact) -> bool:
    """Stopped with the machine (0, or by a signal), not by an error of its own, and no job that was to end."""
    began, ended, code = _time(fact, "started_at"), _time(fact, "finished_at"), fact.attributes.get("exit_code")
    is_job = code == 0 and began is not None and ended is not None and ended - began < _JOB
    return code in (0, 137, 143, 255, None) and not is_job


def _time(fact: Fact, name: str) -> datetime | None:
    """The moment, where it is told with its zone: others cannot be compared."""
    text = str(fact.attributes.get(name) or "")
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None
