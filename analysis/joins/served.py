"""Certificates that a server still presents, although a newer one of the same name lies on disk."""

import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Fact

_CN: Final = re.compile(r"CN\s*=\s*([^,/\s]+)")
_RENEWER: Final = re.compile(r"(?i)certbot|acme|lego|dehydrated|letsencrypt|cert-?manager")
_DAY: Final = 1.0


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each server whose certificate has ended while the one on disk holds."""
    told = _told(case)
    for at, served in told:
        ended = bool(served.attributes.get("server")) and (_left(served) or 0.0) < 0
        newer = [(place, fact) for place, fact in told if ended and _renews(fact, served)]
        if newer:
            place, file = max(newer, key=lambda each: _left(each[1]) or 0.0)
            more = served.attributes | {"renewed": file.attributes["not_after"], "path": file.attributes["path"]}
            fact = Fact(served.kind, _holder(case, file) or served.entity, more, served.source)
            yield JoinedFact(fact, (*case.cite(at, "not_after"), *case.cite(place, "not_after", "serial")))


def _told(case: Case) -> list[tuple[int, Fact]]:
    """The certificates; where the serial alone was asked for, the end is that of the one with this serial."""
    told = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "certificate"]
    ends = {
        _serial(fact): {name: fact.attributes[name] for name in ("not_after", "days_left")}
        for _, fact in told
        if _serial(fact) and "not_after" in fact.attributes and "days_left" in fact.attributes
    }
    return [(at, replace(fact, attributes=ends.get(_serial(fact), {}) | fact.attributes)) for at, fact in told]


def _serial(of: Fact) -> str:
    return str(of.attributes.get("serial") or "")


def _renews(file: Fact, served: Fact) -> bool:
    """Whether the file is a later certificate for the name that the server was asked for."""
    serials = [each.attributes.get("serial") for each in (file, served)]
    same = serials[0] is not None and serials[0] == serials[1]
    on_disk = bool(file.attributes.get("path")) and not file.attributes.get("server")
    ends = (_left(file), _left(served))
    later = ends[0] is not None and ends[1] is not None and ends[0] > ends[1] + _DAY
    return on_disk and not same and later and _one_name(file, served)


def _one_name(file: Fact, served: Fact) -> bool:
    if _nameless(file):
        return file.attributes.get("container") is not None  # what a server reads tells of that server
    asked = {str(served.attributes["server"]).lower(), *_names(served)}
    held = {*_names(file), *(part.lower() for part in PurePosixPath(str(file.attributes["path"])).parts)}
    return any(fnmatch(name, pattern) for name in asked for pattern in held)


def _nameless(file: Fact) -> bool:
    """Whether neither the file's certificate nor its path tells a name."""
    parts = PurePosixPath(str(file.attributes["path"])).parts[:-1]
    return not _names(file) and not any("." in part for part in parts)


def _names(of: Fact) -> set[str]:
    common = _CN.findall(str(of.attributes.get("subject") or ""))
    return {name.lower() for name in (*common, *texts(of.attributes, "names"))}


def _left(of: Fact) -> float | None:
    """Days until its end, None where that is not told: a file of which only the subject was read proves nothing."""
    days = of.attributes.get("days_left")
    return float(days) if isinstance(days, int | float) and "not_after" in of.attributes else None


def _holder(case: Case, file: Fact) -> str | None:
    """The one container that has the file mounted or in which it was read, and does not renew it itself."""
    if inside := file.attributes.get("container"):
        return str(inside)
    path = PurePosixPath(str(file.attributes["path"]))
    found = {
        fact.entity
        for fact in case.facts
        if fact.kind == "container" and not _RENEWER.search(f"{name_of(fact.entity)} {fact.attributes.get('image')}")
        for mount in texts(fact.attributes, "mounts")
        if path.is_relative_to(source := mount.partition(":")[0]) and source.startswith("/")
    }
    return found.pop() if len(found) == 1 else None
