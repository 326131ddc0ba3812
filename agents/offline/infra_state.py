"""What is wrong with the state of things, whatever the reason: findings that need no runbook."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from analysis.text import clip
from domain.entity import name_of
from domain.evidence import Citation, Finding, Severity
from domain.facts import Attribute, Fact
from domain.results import Facts

STOPPED: Final = ("exited", "dead", "terminated", "stopped")
MANY_RESTARTS: Final = 3
STARTING_SECONDS: Final = 120.0  # a roll-out this young has not failed yet
MOST_OF_A_KIND: Final = 40
WAITING: Final = (
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "InvalidImageName",
)
ENDED_WELL: Final = ("Succeeded", "Completed")


@dataclass
class Thing:
    """One thing with all that its facts say; of each attribute, what was said first counts."""

    kind: str
    entity: str
    told: dict[str, tuple[Attribute, Citation]] = field(default_factory=dict)
    at: datetime | None = None

    def get(self, name: str) -> Attribute:
        """The attribute's value, None where nothing was said."""
        return self.told[name][0] if name in self.told else None

    def text(self, name: str) -> str:
        """The attribute as one line."""
        value = self.get(name)
        return "" if value is None else " ".join(str(value).split())

    def count(self, name: str) -> float:
        """The attribute as a number, 0 where nothing was said."""
        value = self.get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    def cite(self, *names: str) -> tuple[Citation, ...]:
        """Citations of these attributes, each once."""
        found = [self.told[name][1] for name in names if name in self.told]
        return _distinct(found)


def state_of(read: list[tuple[str, Facts]]) -> list[Finding]:
    """Findings of all that was read: what is stopped, restarting, unhealthy or not ready, warnings, failed probes."""
    things = things_of(read)
    found = [finding for thing in things for judge in JUDGES.get(thing.kind, ()) for finding in judge(thing)]
    found += _warnings(read)
    found += _failed_probes(read)
    return found[: MOST_OF_A_KIND * 5]


def things_of(read: list[tuple[str, Facts]]) -> list[Thing]:
    """What runs and what it needs, each with all that its facts say."""
    things: dict[tuple[str, str, str], Thing] = {}
    for call_id, facts in read:
        for at, fact in enumerate(facts.facts):
            if fact.kind in JUDGES:
                key = (fact.kind, fact.entity, str(fact.attributes.get("pod") or ""))
                thing = things.setdefault(key, Thing(fact.kind, fact.entity))
                for name, value in fact.attributes.items():
                    thing.told.setdefault(name, (value, citation(fact, at, name, call_id)))
    return list(things.values())


def citation(fact: Fact, at: int, name: str, call_id: str) -> Citation:
    """The raw line of a capture; of a typed document the attribute by its path."""
    if fact.quote and fact.line is not None:
        return Citation(call_id, fact.source, fact.line, fact.quote)
    path = f"/facts/{at}/attributes/{name}" if name in fact.attributes else f"/facts/{at}/entity"
    return Citation(call_id, fact.source, path=path, value=fact.attributes.get(name, fact.entity))


def _distinct(citations: list[Citation]) -> tuple[Citation, ...]:
    kept: list[Citation] = []
    for each in citations:
        if each not in kept:
            kept.append(each)
    return tuple(kept)


def _container(thing: Thing) -> Iterator[Finding]:
    """A container that does not run, runs again and again, or fails its health check."""
    state, restarts = thing.text("state"), thing.count("restart_count")
    if state in STOPPED and not _ended_well(thing):
        cited = thing.cite("state", "exit_code", "reason", "oom_killed", "error")
        yield _finding(thing, "state.not_running", _ended(thing, f"is {state}"), cited, Severity.CRITICAL, 0.7)
    if state in ("restarting", "waiting") or restarts >= MANY_RESTARTS:
        loud = state in ("restarting", "waiting")
        cited = thing.cite("state", "restart_count", "reason", "exit_code", "last_reason", "last_exit_code", "error")
        told = _ended(
            thing, f"is {state}, restarted {restarts:.0f} times" if state else f"restarted {restarts:.0f} times"
        )
        yield _finding(
            thing,
            "state.restarting",
            told,
            cited,
            Severity.CRITICAL if loud else Severity.WARNING,
            0.7 if loud else 0.4,
        )
    if thing.text("health") == "unhealthy":
        cited = thing.cite("health", "health_output", "health_command", "health_streak")
        yield _finding(thing, "state.unhealthy", _sick(thing), cited, Severity.ERROR, 0.6)


def _ended_well(thing: Thing) -> bool:
    """A one-off job that is done: exit code 0 and no word of a problem."""
    return (
        thing.count("exit_code") == 0
        and not thing.get("oom_killed")
        and not thing.text("error")
        and thing.text("reason") in ("", "Completed")
    )


def _ended(thing: Thing, how: str) -> str:
    """`container:web is exited: exit code 137, OOMKilled true, limit 512 MiB`."""
    parts = [
        f"exit code {thing.get('exit_code')}"
        if thing.get("exit_code") is not None and thing.text("state") != "waiting"
        else "",
        thing.text("reason"),
        f"last ended with exit code {thing.get('last_exit_code')}" if thing.get("last_exit_code") is not None else "",
        thing.text("last_reason"),
        "OOMKilled true" if thing.get("oom_killed") is True else "",
        f"limit {_amount(thing.count('memory_limit'))}"
        if thing.count("memory_limit") and thing.get("oom_killed") is True
        else "",
        clip(thing.text("error"), 200),
    ]
    told = list(dict.fromkeys(part for part in parts if part))
    return f"{thing.entity} {how}" + (f": {', '.join(told)}" if told else "")


def _amount(bytes_: float) -> str:
    """`512 MiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if bytes_ < 1024 or unit == "GiB":
            break
        bytes_ /= 1024
    return f"{bytes_:.4g} {unit}"


def _sick(thing: Thing) -> str:
    command = f" ({clip(thing.text('health_command'), 120)})" if thing.text("health_command") else ""
    output = f": {clip(thing.text('health_output'), 240)}" if thing.text("health_output") else ""
    streak = f" for {thing.count('health_streak'):.0f} checks" if thing.count("health_streak") else ""
    return f"The health check{command} of {thing.entity} fails{streak}{output}"


def _pod(thing: Thing) -> Iterator[Finding]:
    """A pod that is not ready, does not start, or restarts."""
    if thing.text("phase") in ENDED_WELL or thing.text("status") in ENDED_WELL:
        return
    reason, restarts = thing.text("reason"), thing.count("restarts")
    if thing.get("ready") is False or thing.text("phase") in ("Pending", "Failed", "Unknown") or reason in WAITING:
        message = f": {clip(thing.text('message'), 240)}" if thing.text("message") else ""
        status = ", ".join(dict.fromkeys(word for word in (thing.text("phase"), thing.text("status"), reason) if word))
        again = f", {restarts:.0f} restarts" if restarts else ""
        cited = thing.cite("status", "reason", "ready", "phase", "message")
        yield _finding(
            thing,
            "state.not_ready",
            f"{thing.entity} is not ready: {status}{again}{message}",
            cited,
            Severity.ERROR,
            0.55,
        )
    elif restarts >= MANY_RESTARTS:
        told = f"{thing.entity} runs and has restarted {restarts:.0f} times"
        yield _finding(thing, "state.restarting", told, thing.cite("restarts"), Severity.WARNING, 0.3)


def _workload(thing: Thing) -> Iterator[Finding]:
    """A deployment, set or job with less than it should have."""
    desired, ready = thing.count("desired"), thing.count("ready_replicas")
    failed = thing.count("failed")
    if thing.get("ready_replicas") is not None and ready < desired:
        what = f"{thing.text('type') or 'workload'} {name_of(thing.entity)}"
        told = f"{what} has {ready:.0f} of {desired:.0f} replicas ready"
        age = thing.get("age_seconds")
        starts = isinstance(age, int | float) and age < STARTING_SECONDS
        yield _finding(
            thing,
            "state.not_ready",
            told + (f", {age:.0f} s after it was made" if starts else "") + _because(thing),
            thing.cite("ready_replicas", "reason", "message", "age_seconds"),
            Severity.INFO if starts else Severity.ERROR,
            0.15 if starts else 0.5,
        )
    elif failed and thing.count("succeeded") < max(desired, 1):
        told = f"{thing.text('type') or 'job'} {name_of(thing.entity)} has failed ({failed:.0f} pods failed)"
        yield _finding(
            thing,
            "state.not_running",
            told + _because(thing),
            thing.cite("failed", "reason", "message"),
            Severity.ERROR,
            0.5,
        )


def _because(thing: Thing) -> str:
    words = [word for word in (thing.text("reason"), clip(thing.text("message"), 200)) if word]
    return f": {', '.join(words)}" if words else ""


def _node(thing: Thing) -> Iterator[Finding]:
    """A node that is not ready or under pressure."""
    pressures = [
        name
        for name in ("memory_pressure", "disk_pressure", "pid_pressure", "network_unavailable")
        if thing.get(name) is True
    ]
    if thing.get("ready") is False or pressures:
        said = "is not ready" if thing.get("ready") is False else f"has {', '.join(pressures)}"
        cited = thing.cite("ready", "reason", "message", *pressures)
        yield _finding(
            thing, "state.not_ready", f"{thing.entity} {said}{_because(thing)}", cited, Severity.CRITICAL, 0.65
        )


def _claim(thing: Thing) -> Iterator[Finding]:
    """A claim for a volume that is not bound."""
    if thing.text("phase") in ("Pending", "Lost"):
        named = f" of storage class {thing.text('storage_class')}" if thing.text("storage_class") else ""
        told = f"{thing.entity}, a claim{named}, is {thing.text('phase')}{_because(thing)}"
        yield _finding(
            thing, "state.not_ready", told, thing.cite("phase", "storage_class", "message"), Severity.ERROR, 0.6
        )


def _unit(thing: Thing) -> Iterator[Finding]:
    """A systemd unit that failed or restarts."""
    if thing.text("active_state") == "failed" or thing.text("sub_state") == "auto-restart":
        code = f", exit code {thing.get('exit_code')}" if thing.get("exit_code") is not None else ""
        told = (
            f"{thing.entity} is {thing.text('active_state')} ({thing.text('result') or thing.text('sub_state')}{code})"
        )
        yield _finding(
            thing, "state.not_running", told, thing.cite("active_state", "result", "exit_code"), Severity.ERROR, 0.6
        )


JUDGES: Final[dict[str, tuple[Callable[[Thing], Iterator[Finding]], ...]]] = {
    "container": (_container,), "pod": (_pod,), "workload": (_workload,), "node": (_node,), "claim": (_claim,),
    "unit": (_unit,),
}  # fmt: skip


def _finding(
    thing: Thing, kind: str, statement: str, cited: tuple[Citation, ...], severity: Severity, weight: float
) -> Finding:
    captures = {
        name: thing.text(name)
        for name in ("exit_code", "reason", "last_reason", "image", "state", "status")
        if thing.text(name)
    }
    return Finding(thing.entity, kind, statement, cited or (), severity=severity, weight=weight, captures=captures)


@dataclass
class Group:
    """Events of one reason about one thing."""

    count: int = 0
    first: datetime | None = None
    fact: Fact | None = None
    cited: list[Citation] = field(default_factory=list)


def _warnings(read: list[tuple[str, Facts]]) -> Iterator[Finding]:
    """Warnings of the cluster and bad ends reported by the engine, grouped by thing and reason."""
    groups: dict[tuple[str, str], Group] = {}
    for call_id, facts in read:
        for at, fact in enumerate(facts.facts):
            if fact.kind == "event" and (reason := bad_event(fact)):
                group = groups.setdefault((fact.entity, reason), Group())
                counted = fact.attributes.get("count")
                group.count += counted if isinstance(counted, int) else 1
                group.first = min((t for t in (group.first, fact.at) if t), default=None)
                group.fact = fact
                group.cited.append(citation(fact, at, "reason", call_id))
    for (of, reason), group in list(groups.items())[:MOST_OF_A_KIND]:
        message = str((group.fact.attributes.get("message") if group.fact else "") or "")
        told = f"{of}: {reason} x{group.count}" + (f": {clip(' '.join(message.split()), 300)}" if message else "")
        yield Finding(
            of,
            "event.warning",
            told,
            tuple(group.cited[-2:]),
            onset=group.first,
            weight=0.4,
            severity=Severity.WARNING,
            captures={"reason": reason, "count": str(group.count)},
        )


def bad_event(fact: Fact) -> str:
    """Why an event is a warning; empty for what is normal."""
    told = fact.attributes
    action, reason = str(told.get("action") or ""), str(told.get("reason") or "")
    if told.get("component") != "docker":
        return reason if told.get("type") in ("Warning", "failure") else ""
    if action == "oom":
        return "oom"
    if action == "die" and told.get("exit_code") not in (0, None, 143):
        return f"died with exit code {told['exit_code']}"
    return action if action == "health_status: unhealthy" else ""


def _failed_probes(read: list[tuple[str, Facts]]) -> Iterator[Finding]:
    for call_id, facts in read:
        for at, fact in enumerate(facts.facts):
            if (said := failed_probe(fact)) and fact.kind in PROBED:
                cited = _distinct(
                    [citation(fact, at, name, call_id) for name in PROBED[fact.kind] if name in fact.attributes]
                )
                yield Finding(
                    fact.entity,
                    "probe.failed" if fact.kind == "probe" else f"probe.failed.{fact.kind}",
                    said,
                    cited or (citation(fact, at, "", call_id),),
                    onset=fact.at,
                    severity=Severity.ERROR,
                    weight=0.55,
                )


PROBED: Final = {
    "probe": ("ok", "error", "status"),
    "dns": ("status", "error"),
    "certificate": ("error", "days_left", "not_after"),
}


def _answered(told: Mapping[str, Attribute]) -> bool:
    """Whether a server answered that it does not like the question (HTTP 4xx): then it is there and reachable."""
    status = str(told.get("status") or told.get("actual") or "")
    return bool(re.fullmatch(r"4[0-9]{2}", status))


def failed_probe(fact: Fact) -> str:
    """What failed, in words; empty for what succeeded."""
    told = fact.attributes
    if fact.kind == "probe" and told.get("ok") is False and not _answered(told):
        why = told.get("error") or told.get("status") or "no answer"
        what = f"{told.get('type') or 'probe'} probe of {told.get('target') or fact.entity}"
        return f"The {what} failed: {clip(str(why), 240)}"
    if fact.kind == "dns" and (
        told.get("error") or str(told.get("status") or "NOERROR").upper() not in ("NOERROR", "OK")
    ):
        return f"{told.get('query') or fact.entity} does not resolve: {told.get('error') or told.get('status')}"
    days = told.get("days_left")
    if fact.kind == "certificate" and isinstance(days, int | float) and days < 0:
        subject = told.get("subject") or name_of(fact.entity)
        return f"The certificate {subject} expired {-days:.0f} days ago ({told.get('not_after')})"
    return ""
