"""Heaps that are sized by the machine's memory, in a container that was killed at its own, smaller limit."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.evidence import Citation, Finding
from domain.facts import Fact

NAME: Final = "heap_by_host"
_KILLED: Final = "memory.oom_kill"
_STATED: Final = "memory-heap-sees-host/heap"  # a line in which a program tells its heap
_OLD: Final = "memory-heap-sees-host/old_runtime"  # one that tells a runtime which cannot read cgroup v2
_GIB: Final = 1 << 30
_SIZES: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": _GIB, "t": 1 << 40}
# What the runtime itself says it will take: flags of a JVM, -XshowSettings:vm, Node's heap statistics.
_HEAP: Final = re.compile(
    r"(?:MaxHeapSize\s*(?::?=)\s*|Max\. Heap Size(?: \(Estimated\))?: |heap_size_limit['\"]?: ?|heap size \[)"
    r"(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)"
)
_BOUND: Final = re.compile(r"-Xmx|MaxHeapSize=|-XX:MaxRAM=|--max[-_]old[-_]space[-_]size|GOMEMLIMIT")  # by hand
_ABOVE: Final = 1.0  # times the limit: no program that knows its limit takes all of it for the heap


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that was killed, set no bound itself, and whose heap is above its limit."""
    killed = [finding for finding in case.findings if finding.kind == _KILLED]
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        limit = fact.attributes.get("memory_limit")
        if fact.kind != "container" or kind_of(fact.entity) != "container" or fact.entity in told:
            continue
        kill = next((each for each in killed if case.inventory.same(each.entity, fact.entity)), None)
        if kill is None or not isinstance(limit, int) or limit <= 0 or _is_bounded(case, fact.entity):
            continue
        if proof := _heap(case, fact, limit) or _old_runtime(case, fact):
            told.add(fact.entity)
            text = f"{proof[0]}, limit {limit / _GIB:.3g} GiB{_machine(case)}"
            more = Fact("note", fact.entity, {"name": NAME, "text": text}, fact.source)
            yield JoinedFact(more, (*proof[1], *case.cite(at, "memory_limit"), *kill.citations[:1]), kill.onset)


def _is_bounded(case: Case, of: str) -> bool:
    """Whether an option bounds the heap: then that is too large, and the runtime did as it was told."""
    told = (f for f in case.facts if f.kind == "container" and f.entity == of)
    return any(
        _BOUND.search(words)
        for f in told
        for name in ("env", "command", "entrypoint")
        for words in texts(f.attributes, name)
    )


def _heap(case: Case, of: Fact, limit: int) -> tuple[str, tuple[Citation, ...]] | None:
    """The heap that the program of this container says it may use, where that is more than the limit."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "reading" and case.inventory.same(fact.entity, of.entity):
            size = _size(str(fact.attributes.get("text") or ""))
            if size > _ABOVE * limit:
                return f"heap of {size / _GIB:.3g} GiB", case.cite(at, "text")
    for finding in case.findings:
        if finding.signature == _STATED and case.inventory.same(finding.entity, of.entity):
            size = max((_size(each.quote or "") for each in finding.citations), default=0.0)
            if size > _ABOVE * limit:
                return f"heap of {size / _GIB:.3g} GiB", finding.citations[:1]
    return None


def _size(text: str) -> float:
    found = _HEAP.search(text)
    return float(found[1]) * _SIZES[found[2].lower()] if found else 0.0


def _old_runtime(case: Case, of: Fact) -> tuple[str, tuple[Citation, ...]] | None:
    """A runtime that does not know cgroup v2, on a machine that has it."""
    told = [at for at, fact in enumerate(case.facts) if _tells_cgroup(fact)]  # of two machines they may differ
    unified = next(iter(told), None) if all(_is_unified(case.facts[at]) for at in told) else None
    old: Finding | None = next(
        (f for f in case.findings if f.signature == _OLD and case.inventory.same(f.entity, of.entity)), None
    )
    if unified is None or old is None:
        return None
    return f"{old.captures.get('runtime', 'old runtime')} on cgroup v2", (
        *old.citations[:1],
        *case.cite(unified, "value"),
    )


def _tells_cgroup(fact: Fact) -> bool:
    name = str(fact.attributes.get("name") or "")
    return fact.kind == "setting" and (name == "cgroup version" or name == "/sys/fs/cgroup")


def _is_unified(fact: Fact) -> bool:
    name, value = str(fact.attributes.get("name") or ""), str(fact.attributes.get("value") or "")
    return fact.kind == "setting" and (
        (name == "cgroup version" and value == "2") or (name.startswith("/sys/fs/cgroup") and value == "cgroup2fs")
    )


def _machine(case: Case) -> str:
    """The memory of the machine, by which such a heap is sized."""
    total = next(
        (f.attributes.get("total") for f in case.facts if f.kind == "memory" and kind_of(f.entity) == "host"), None
    )
    return f", host memory {total / _GIB:.3g} GiB" if isinstance(total, int) else ""
