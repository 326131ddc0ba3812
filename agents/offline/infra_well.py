"""What is as it should be: findings that rule faults out, and that an all-clear can rest on."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

from agents.offline.infra_state import Thing, things_of
from domain.evidence import Finding, Severity
from domain.results import Facts

WELL: Final = "state.well"
RECOVERED: Final = "state.recovered"
MOST: Final = 20
FEW_RESTARTS: Final = 2  # so many may have been one deploy or one hiccup; more are a loop
SETTLED: Final = timedelta(minutes=10)  # a restart longer ago than the longest crash-loop back-off (5 min) is over


def well_of(read: list[tuple[str, Facts]], now: datetime) -> list[Finding]:
    """Findings of what runs, is ready and does not restart; or did once and has run since."""
    found = [f for thing in things_of(read) for f in JUDGES.get(thing.kind, _nothing)(thing, now)]
    return found[:MOST]


def _nothing(thing: Thing, now: datetime) -> Iterator[Finding]:
    yield from ()


def _container(thing: Thing, now: datetime) -> Iterator[Finding]:
    runs = thing.text("state") == "running" and thing.text("health") in ("", "healthy", "none")
    if not runs or thing.get("ready") is False or thing.get("oom_killed") is True or _ended_badly(thing):
        return
    restarts = thing.count("restart_count")
    since = _time(thing.text("started_at"))
    ready = ", ready" if thing.get("ready") is True else ""
    healthy = ", healthy" if thing.text("health") == "healthy" else ""
    cited = thing.cite("state", "ready", "restart_count", "health", "started_at")
    if restarts == 0:
        told = f"{thing.entity} is running{ready}{healthy}, with no restarts"
        yield Finding(thing.entity, WELL, told, cited, severity=Severity.INFO, weight=0.5)
    elif restarts <= FEW_RESTARTS and since and now - since >= SETTLED:
        minutes = (now - since).total_seconds() / 60
        told = f"{thing.entity} restarted {restarts:.0f} times and has been running{ready} for {minutes:.0f} min since"
        yield Finding(thing.entity, RECOVERED, told, cited, since, severity=Severity.INFO, weight=0.5)


def _ended_badly(thing: Thing) -> bool:
    """Whether its last end had a reason that will come again."""
    return thing.text("last_reason") in ("OOMKilled", "Error", "StartError") or thing.get("last_exit_code") not in (
        None,
        0,
    )


def _pod(thing: Thing, now: datetime) -> Iterator[Finding]:
    ready = thing.get("ready") in (True, "True", "true")
    if ready and thing.text("phase") in ("", "Running") and not thing.count("restarts"):
        cited = thing.cite("phase", "ready", "restarts", "conditions")
        told = f"{thing.entity} is Running and ready, with no restarts"
        yield Finding(thing.entity, WELL, told, cited, severity=Severity.INFO, weight=0.5)


def _workload(thing: Thing, now: datetime) -> Iterator[Finding]:
    desired, ready = thing.count("desired"), thing.count("ready_replicas")
    if desired and ready >= desired:
        told = f"{thing.entity} has {ready:.0f} of {desired:.0f} replicas ready"
        cited = thing.cite("desired", "ready_replicas")
        yield Finding(thing.entity, WELL, told, cited, severity=Severity.INFO, weight=0.6)


def _time(text: str) -> datetime | None:
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        return None
    return told if told.tzinfo else None


JUDGES: Final[dict[str, Callable[[Thing, datetime], Iterator[Finding]]]] = {
    "container": _container,
    "pod": _pod,
    "workload": _workload,
}
