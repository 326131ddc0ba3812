"""Programs that fill the memory where they may open a billion files: some keep a table with an entry for each."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.facts import Attribute, Fact
from domain.fault import family_of

NAME: Final = "descriptor_memory"
_HUGE: Final = 100_000_000  # open files: a table of them takes gigabytes
_SHARE: Final = 0.3  # of the memory that it may have
_GIB: Final = 2**30
_ASKED: Final = re.compile(r"\bulimit -[SH]?n\b")
_UNIT: Final = re.compile(r"\bLimitNOFILE(?:Soft)?=(infinity|\d+)")
_GLOBAL: Final = re.compile(r"\bOut of memory: Killed process \d+")  # the machine's memory, not a group's
_KILLED: Final = re.compile(r"\banon-rss:(\d+)kB")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program with such a limit that holds, or was killed with, much memory where memory ran out."""
    if not any(family_of(finding.kind) == "memory" for finding in case.findings):
        return
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        limit = _limit(fact) or _everywhere(case, fact)
        held = _held(case, fact.entity) or _killed(case, fact) if limit else None
        if held is None and limit:
            yield from _told_in_log(case, at, limit, told)
        if held is None or (of := _whose(case, fact, held[0])) in told or case.facts[held[0]].entity in told:
            continue
        place, used = held
        told |= {of, case.facts[place].entity}
        note = Fact("note", of, {"name": NAME, "text": f"{used / _GIB:.3g} GiB", "value": limit})
        yield JoinedFact(note, (*case.cite(at, "soft", "text"), *case.cite(place, "memory_usage", "message")))


def _limit(fact: Fact) -> int:
    """The open files a thing may have where that is beyond all use, else 0."""
    soft, name = fact.attributes.get("soft"), str(fact.attributes.get("name") or "").lower()
    files = fact.kind == "limit" and ("open files" in name or "nofile" in name)
    return int(soft) if files and isinstance(soft, int | float) and soft > _HUGE else 0


def _everywhere(case: Case, fact: Fact) -> Attribute:
    """What any container of the machine may have: asked in a fresh one, or of the engine's unit; 0 if not too much."""
    told = fact.attributes
    text = str(told.get("text") or "") if fact.kind == "reading" else ""
    if _ASKED.search(str(told.get("command") or "")):
        values = [int(word) for word in text.split() if word.isdigit()]
        return min(values) if values and min(values) > _HUGE else 0
    limits = [match[1] for match in _UNIT.finditer(text)]
    # Without a bound of its own a unit has the kernel's, which most systems keep at a million.
    return next((each for each in limits if each == "infinity" and _kernel_allows(case)), 0)


def _kernel_allows(case: Case) -> bool:
    settings = (fact.attributes for fact in case.facts if fact.kind == "setting")
    bounds = [told.get("value") for told in settings if told.get("name") == "fs.nr_open"]
    return any(isinstance(value, int | float) and value > _HUGE for value in bounds)


def _held(case: Case, of: str) -> tuple[int, int] | None:
    """Where the memory is told that it holds, if that is much."""
    for at, fact in enumerate(case.facts):
        used, most = fact.attributes.get("memory_usage"), fact.attributes.get("memory_limit")
        much = isinstance(used, int) and used > max(_GIB, _SHARE * most if isinstance(most, int) else 0)
        if fact.kind == "container" and isinstance(used, int) and much and case.inventory.same(fact.entity, of):
            return at, used
    return None


def _killed(case: Case, limit: Fact) -> tuple[int, int] | None:
    """Where the kernel tells that it killed a program with much memory, for a limit that is not another container's."""
    if kind_of(limit.entity) not in ("host", "process"):
        return None
    for at, fact in enumerate(case.facts):
        match = _KILLED.search(str(fact.attributes.get("message") or "")) if fact.kind == "kernel" else None
        if match is not None and int(match[1]) * 1024 > _GIB:
            return at, int(match[1]) * 1024
    return None


def _told_in_log(case: Case, at: int, limit: Attribute, told: set[str]) -> Iterator[JoinedFact]:
    """The same where only a log has the kernel's words, of the container that runs the image the limit was asked in."""
    of = _started_from(case, case.facts[at])
    if of is None or of in told:
        return
    for finding in case.findings:
        cited = next((each for each in finding.citations if _GLOBAL.search(each.quote or "")), None)
        match = _KILLED.search(cited.quote or "") if cited else None
        if cited and match and int(match[1]) * 1024 > _GIB:
            told.add(of)
            note = Fact("note", of, {"name": NAME, "text": f"{int(match[1]) * 1024 / _GIB:.3g} GiB", "value": limit})
            yield JoinedFact(note, (*case.cite(at, "soft", "text"), cited))
            return


def _started_from(case: Case, limit: Fact) -> str | None:
    words = str(limit.attributes.get("command") or "").split()
    return next((f.entity for f in case.facts if f.kind == "container" and f.attributes.get("image") in words), None)


def _whose(case: Case, limit: Fact, held: int) -> str:
    """The container that was started from the image in which the limit was asked for; else who holds the memory."""
    if case.facts[held].kind != "kernel":
        return limit.entity
    return _started_from(case, limit) or case.facts[held].entity
