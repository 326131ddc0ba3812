"""What takes the space of a full file system: the largest folder or files that a capture found below its mount."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Attribute, Fact

_FAULT: Final = "disk.full"
_FULL: Final = 95.0  # percent in use from which it matters what takes the space
_MOST: Final = 50.0  # percent of the file system: what takes less did not fill it alone


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each full file system of which one folder, or one set of files, takes most."""
    measured = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "directory" and _size(fact)]
    known: set[str] = set()
    for at, system in enumerate(case.facts):
        full = system.kind == "filesystem" and _number(system, "use_percent") >= _FULL and _size(system)
        found = [(place, fact) for place, fact in measured if full and _takes_most(fact, system)]
        if found and system.entity not in known:
            known.add(system.entity)
            place, most = max(found, key=lambda each: (len(PurePosixPath(_path(each[1])).parts), _size(each[1])))
            share = round(100 * _size(most) / _size(system))
            told: dict[str, Attribute] = {"filler": _path(most), "filler_size": int(_size(most)), "share": share}
            fact = Fact("directory", system.entity, told)
            yield JoinedFact(fact, (*case.cite(place, "size"), *case.cite(at, "use_percent")))


def filled(finding: Finding, told: list[Finding]) -> Finding:
    """The finding of a full file system, with what fills the only one of which that is known."""
    filler = told[0] if len(told) == 1 else None
    if filler is None or finding.kind != _FAULT or "filler" in finding.captures:
        return finding
    more = {name: filler.captures[name] for name in ("filler", "filler_size", "share")}
    return replace(finding, captures=finding.captures | more, citations=(*finding.citations, *filler.citations[:1]))


def _takes_most(fact: Fact, system: Fact) -> bool:
    mount, path = str(system.attributes.get("mount") or ""), PurePosixPath(_path(fact))
    below = bool(mount) and path != PurePosixPath(mount) and path.is_relative_to(mount)
    return below and _MOST <= 100 * _size(fact) / _size(system) <= 101


def _path(fact: Fact) -> str:
    return str(fact.attributes.get("path") or "")


def _size(fact: Fact) -> float:
    return _number(fact, "size")


def _number(fact: Fact, name: str) -> float:
    value = fact.attributes.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
