"""A container on a new, empty volume, while the one of the same name under another compose project has the data.

A second stack of the same file (staging beside production) looks alike; so the old one must be known to be gone.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.lines.timestamps import engine_time
from analysis.listing import lists_all_but
from analysis.machines import several_machines
from domain.entity import name_of
from domain.facts import Attribute, Fact

NAME: Final = "volume of another project"
_COMPOSED: Final = re.compile(r"(?P<project>.+?)[-_][A-Za-z0-9.]+[-_]\d+")  # what compose calls a container
_NEW: Final = timedelta(days=1)  # at most so long before the container's start a volume is new to it


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container whose volume began with it although an older sister lies unused."""
    if several_machines(case):
        return  # volumes and containers of two machines may have the same names
    known = {str(fact.attributes["name"]): at for at, fact in _volumes(case)}
    used = {name for fact in case.facts if fact.kind == "container" for name in _mounted(fact)}
    for at, fact in enumerate(case.facts):
        mounted = [name for name in _mounted(fact) if name in known] if fact.kind == "container" else []
        pairs = ((mine, other) for mine in mounted for other in known if other not in used and _sisters(mine, other))
        alike = [(mine, other) for mine, other in pairs if _related(fact, mine, other, known)]
        left = [pair for pair in alike if _is_gone(case, fact, _project(*pair), _project(*reversed(pair)))]
        for mine, other in [pair for pair in left if _older(case, known, pair[1], pair[0], fact)][:1]:
            told = f"{other} (project {_project(other, mine)})"
            more = Fact("note", fact.entity, {"name": NAME, "text": told, "value": mine})
            cited = (*case.cite(known[mine], "created", "name"), *case.cite(known[other], "created", "name"))
            yield JoinedFact(more, (*cited, *case.cite(at, "mounts")))


def _related(container: Fact, mine: str, other: str, known: Iterable[str]) -> bool:
    """Whether the other project was the same stack: it is called like the container, or has the same volumes."""
    now, then = _project(mine, other), _project(other, mine)
    called = f"{name_of(container.entity)} {container.attributes.get('image')}"
    keys = [{name.removeprefix(f"{of}_") for name in known if name.startswith(f"{of}_")} for of in (now, then)]
    return then in called or len(keys[0] & keys[1]) > 1


def _is_gone(case: Case, container: Fact, now: str, then: str) -> bool:
    """Whether the other project has no containers: this one has the fixed name they had, or a list of all has none."""
    name, own = name_of(container.entity), str(container.attributes.get("project") or now)
    if _starts(name, then) and not any(_starts(name, project) for project in (now, own)):
        return True
    told: dict[str, dict[str, Attribute]] = {}
    for fact in case.facts:
        if fact.kind == "container" and fact.entity != container.entity:
            told.setdefault(fact.entity, {}).update(fact.attributes)
    others = (_is_of(each, name_of(of), then, now) for of, each in told.items())
    return lists_all_but(case, container, then) and not any(others)


def _is_of(told: dict[str, Attribute], name: str, project: str, now: str) -> bool:
    """Whether the container may be of the project: nothing says of which other one it is."""
    if told.get("project"):
        return told["project"] == project
    if _starts(name, now) and not _starts(project, now):
        return False
    composed = _COMPOSED.fullmatch(name)
    return _starts(name, project) if composed else "mounts" not in told


def _starts(name: str, project: str) -> bool:
    return name == project or name.startswith((f"{project}-", f"{project}_"))


def _volumes(case: Case) -> Iterator[tuple[int, Fact]]:
    """Where each volume is told best: with its creation, if anywhere."""
    found = [(at, f) for at, f in enumerate(case.facts) if f.kind == "volume" and f.attributes.get("name")]
    return iter(sorted(found, key=lambda each: "created" in each[1].attributes))


def _mounted(fact: Fact) -> list[str]:
    sources = (mount.partition(":")[0] for mount in texts(fact.attributes, "mounts"))
    return [name for name in sources if name and not name.startswith(("/", "."))]


def _sisters(mine: str, other: str) -> bool:
    """Whether both end in one volume name of a compose file, each under its own project."""
    key = mine.rpartition("_")[2]
    return mine != other and "_" in mine and other.endswith(f"_{key}") and len(other) > len(key) + 1


def _project(volume: str, other: str) -> str:
    return volume.removesuffix("_" + other.rpartition("_")[2])


def _older(case: Case, known: dict[str, int], sister: str, mine: str, container: Fact) -> bool:
    """Whether the container's volume was made for this start, the other long before."""
    ours, theirs = (engine_time(case.facts[known[name]].attributes.get("created")) for name in (mine, sister))
    started = engine_time(container.attributes.get("started_at"))
    if not ours or not theirs or theirs + _NEW > ours:
        return False
    return started is None or abs(started - ours) < _NEW
