"""Programs that fill the memory where they may open a billion files: some keep a table with an entry for each."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact
from domain.fault import family_of

NAME: Final = "descriptor_memory"
_HUGE: Final = 100_000_000  # open files: a table of them takes gigabytes
_SHARE: Final = 0.3  # of the memory that it may have
_GIB: Final = 2**30


def descriptor_memory(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container with such a limit that holds much of the memory, where memory ran out."""
    if not any(family_of(finding.kind) == "memory" for finding in case.findings):
        return
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        limit = _limit(fact)
        if not limit or fact.entity in told or (held := _held(case, fact.entity)) is None:
            continue
        told.add(fact.entity)
        place, used = held
        text = f"{used / _GIB:.3g} GiB"
        note = Fact("note", fact.entity, {"name": NAME, "text": text, "value": limit})
        yield JoinedFact(note, (*case.cite(at, "soft"), *case.cite(place, "memory_usage")))


def _limit(fact: Fact) -> int:
    """The open files a thing may have where that is beyond all use, else 0."""
    soft, name = fact.attributes.get("soft"), str(fact.attributes.get("name") or "").lower()
    files = fact.kind == "limit" and ("open files" in name or "nofile" in name)
    return int(soft) if files and isinstance(soft, int | float) and soft > _HUGE else 0


def _held(case: Case, of: str) -> tuple[int, int] | None:
    """Where the memory is told that it holds, if that is much."""
    for at, fact in enumerate(case.facts):
        used, most = fact.attributes.get("memory_usage"), fact.attributes.get("memory_limit")
        much = isinstance(used, int) and used > max(_GIB, _SHARE * most if isinstance(most, int) else 0)
        if fact.kind == "container" and isinstance(used, int) and much and case.inventory.same(fact.entity, of):
            return at, used
    return None
