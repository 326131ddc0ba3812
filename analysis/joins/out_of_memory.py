"""What filled the memory of a container that was OOM killed: workers by the host's cores, or a reload just before."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from analysis.captures.context import HOST
from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import entity, kind_of
from domain.evidence import Finding
from domain.facts import Fact

WORKERS: Final = "workers_by_cores"
RELOAD: Final = "killed_in_reload"
_KILLED: Final = "memory.oom_kill"
_IN_CGROUP: Final = "memory-oom-kill/cgroup_kill"
_BY_CORES: Final = "memory-worker-count/by_cores"
_RELOADS: Final = "memory-reload-doubles/reload"
_COUNTS_CORES: Final = re.compile(r"cpu_count|\bnproc\b|os\.cpus|nprocessors|NumCPU|availableProcessors|getconf _NPROC")
_COUNTS_PROCESSES: Final = re.compile(r"\bps\b.*grep -\w*c|\bpgrep -\w*c|\bps\b.*wc -l")
_MANY: Final = 8  # cores from which on a worker for each is many
_SOON: Final = timedelta(minutes=5)


def joined(case: Case) -> Iterator[JoinedFact]:
    """What filled it, where either of the two is seen."""
    yield from workers_by_cores(case)
    yield from killed_in_reload(case)


def workers_by_cores(case: Case) -> Iterator[JoinedFact]:
    """One fact for each OOM killed container whose workers follow the cores of a host that has many of them."""
    told: set[str] = set()
    for finding in case.findings:
        killed = next((each for each in _kills(case) if case.inventory.same(each.entity, finding.entity)), None)
        cores = _cores(case, finding) if finding.signature == _BY_CORES and killed else None
        if killed is None or cores is None or killed.entity in told:
            continue
        told.add(killed.entity)
        yield _counted(case, finding, killed, cores)


def killed_in_reload(case: Case) -> Iterator[JoinedFact]:
    """One fact for each OOM killed container that had begun to reload its data just before."""
    for finding in case.findings:
        of = [each for each in _kills(case) if case.inventory.same(each.entity, finding.entity)]
        if finding.signature != _RELOADS or finding.onset is None or not of:
            continue
        kills = (*of, *_in_cgroup(case, of))
        after = [each for each in kills if each.onset and finding.onset <= each.onset <= finding.onset + _SOON]
        if after and after[0].onset:
            seconds = int((after[0].onset - finding.onset).total_seconds())
            told = Fact(
                "note", of[0].entity, {"name": RELOAD, "text": finding.captures.get("what", ""), "value": seconds}
            )
            yield JoinedFact(told, (*finding.citations[:1], *after[0].citations[:1]), finding.onset)


def _in_cgroup(case: Case, of: list[Finding]) -> Iterator[Finding]:
    """The kernel's kills in a memory cgroup, which name a process alone, where no other than this was killed."""
    others = (each for each in _kills(case) if each.signature != _IN_CGROUP)
    if all(any(case.inventory.same(each.entity, own.entity) for own in of) for each in others):
        yield from (each for each in _kills(case) if each.signature == _IN_CGROUP and kind_of(each.entity) == "process")


def _kills(case: Case) -> Iterator[Finding]:
    return (finding for finding in case.findings if finding.kind == _KILLED and not finding.only_advised)


def _cores(case: Case, finding: Finding) -> int | None:
    """The place of the count of cores that the container, or the only machine without another name, sees."""
    for at, fact in enumerate(case.facts):
        here = case.inventory.same(fact.entity, finding.entity) or fact.entity == entity("host", HOST)
        if here and (_number(fact) or 0) >= _MANY:
            return at
    return None


def _number(fact: Fact) -> int | None:
    if fact.kind in ("cpu", "load") and isinstance(cpus := fact.attributes.get("cpus"), int):
        return cpus
    counted = fact.kind == "reading" and _COUNTS_CORES.search(str(fact.attributes.get("command")))
    return value if counted and isinstance(value := fact.attributes.get("value"), int) else None


def _counted(case: Case, finding: Finding, killed: Finding, cores: int) -> JoinedFact:
    words = finding.captures.get("setting", "").strip()
    running = next((at for at, fact in enumerate(case.facts) if _processes(case, fact, killed)), None)
    if running is not None:
        words += f"; {case.facts[running].attributes['value']} processes run"
    told = Fact("note", killed.entity, {"name": WORKERS, "text": words, "value": _number(case.facts[cores])})
    cited = (*finding.citations[:1], *case.cite(cores, "value", "cpus"))
    return JoinedFact(told, (*cited, *(case.cite(running, "value") if running is not None else ())))


def _processes(case: Case, fact: Fact, killed: Finding) -> bool:
    value = fact.attributes.get("value")
    counts = fact.kind == "reading" and _COUNTS_PROCESSES.search(str(fact.attributes.get("command")))
    return bool(counts and isinstance(value, int) and case.inventory.same(fact.entity, killed.entity))
