"""What takes the space of a full file system: the largest folder or files that a capture found below its mount."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.machines import several_machines
from domain.entity import kind_of, name_of
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
        here = [each for each in measured if full and _lies_on(case, each[1], system)]
        found = [(place, fact) for place, fact in here if _takes_most(fact, system)]
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
    if filler is None or finding.kind != _FAULT or "filler" in finding.captures or _is_other(finding, filler):
        return finding
    more = {name: filler.captures[name] for name in ("filler", "filler_size", "share")}
    return replace(finding, captures=finding.captures | more, citations=(*finding.citations, *filler.citations[:1]))


def _is_other(finding: Finding, filler: Finding) -> bool:
    """Whether the finding is of another file system than the filled one; who only complains of one tells none."""
    if kind_of(finding.entity) == "disk" and finding.entity != filler.entity:
        return True
    mount = finding.captures.get("mount")
    return bool(mount) and kind_of(filler.entity) == "disk" and mount != name_of(filler.entity)


def _lies_on(case: Case, fact: Fact, system: Fact) -> bool:
    """Whether no other known mount of the same place is nearer above the path than this one."""
    mount = _above(fact, system)
    known = (each for each in case.facts if each.kind == "filesystem" and _one_place(case, each, system))
    mounts = [length for each in known if (length := _above(fact, each))]
    below = mount > 0 and PurePosixPath(str(system.attributes["mount"])) != PurePosixPath(_path(fact))
    return below and mount == max(mounts, default=0) and _one_place(case, fact, system)


def _one_place(case: Case, one: Fact, other: Fact) -> bool:
    """Whether both were told of one machine, or of the inside of one container."""
    inside = {fact.entity for fact in (one, other) if kind_of(fact.entity) not in ("disk", "host")}
    same = one.entity == other.entity if inside else True
    return same and (one.source == other.source or not several_machines(case))


def _above(fact: Fact, system: Fact) -> int:
    """How many parts the mount has that the path is or lies below; 0 if it does not."""
    mount, path = PurePosixPath(str(system.attributes.get("mount") or "")), PurePosixPath(_path(fact))
    return len(mount.parts) if path.is_relative_to(mount) else 0


def _takes_most(fact: Fact, system: Fact) -> bool:
    return _MOST <= 100 * _size(fact) / _size(system) <= 101


def _path(fact: Fact) -> str:
    return str(fact.attributes.get("path") or "")


def _size(fact: Fact) -> float:
    return _number(fact, "size")


def _number(fact: Fact, name: str) -> float:
    value = fact.attributes.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
