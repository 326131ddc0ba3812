"""Containers that live in the network of another one which is gone, or was started again after them."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.lines.timestamps import engine_time
from analysis.listing import lists_all_but
from analysis.machines import several_machines
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "shared_network"
_SHORT: Final = 12  # characters of an id that people are shown
_UP: Final = "running"
_GONE: Final = re.compile(r"(?i)no such (?:container|object):? ?([\w.-]+)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container whose network went away under it."""
    told: set[str] = set()
    for at, guest in _inspected(case):
        kind, _, owner = str(guest.attributes.get("network_mode") or "").partition(":")
        if kind != "container" or not owner or guest.attributes.get("state") != _UP or guest.entity in told:
            continue
        if found := _lost(case, at, owner):
            told.add(guest.entity)
            yield found


def _lost(case: Case, at: int, owner: str) -> JoinedFact | None:
    guest, cited = case.facts[at], case.cite(at, "network_mode", "started_at")
    known = [(place, fact) for place, fact in _inspected(case) if _is_owner(case, fact, owner)]
    if not known:
        return _joined(guest, owner[:_SHORT], "removed", cited) if _is_removed(case, guest, owner) else None
    # Told more than once, the last start counts: an older telling is from before it.
    place, found = max(known, key=lambda each: _started(each[1]) or 0.0)
    if not _later(found, guest):
        return None
    return _joined(guest, found.entity.partition(":")[2], "started again", cited + case.cite(place, "started_at"))


def _inspected(case: Case) -> Iterator[tuple[int, Fact]]:
    return ((at, fact) for at, fact in enumerate(case.facts) if fact.kind == "container")


def _is_owner(case: Case, fact: Fact, owner: str) -> bool:
    """By its id, of which lists show the start only; a name may be that of another container on another machine."""
    identity = str(fact.attributes.get("id") or "")
    if len(owner) >= _SHORT and len(identity) >= _SHORT and owner[:_SHORT] == identity[:_SHORT]:
        return True
    return not several_machines(case) and fact.entity == case.inventory.resolve(owner, "container")


def _is_removed(case: Case, guest: Fact, owner: str) -> bool:
    """Whether somebody looked for it: in a list of all, or by its name. One that was not inspected may well run."""
    return lists_all_but(case, guest, owner) or any(_same(gone, owner) for gone in _missed(case, guest))


def _missed(case: Case, guest: Fact) -> Iterator[str]:
    """What an engine said that it does not have; of several machines only what was said of the guest."""
    for fact in case.facts:
        if not several_machines(case) or case.inventory.same(fact.entity, guest.entity):
            yield from _GONE.findall(f"{fact.attributes.get('error')}\n{fact.attributes.get('text')}")
    for finding in case.findings:
        if not several_machines(case) or case.inventory.same(finding.entity, guest.entity):
            yield from (gone for cited in finding.citations for gone in _GONE.findall(cited.quote or ""))


def _same(gone: str, owner: str) -> bool:
    return gone == owner or (min(len(gone), len(owner)) >= _SHORT and gone[:_SHORT] == owner[:_SHORT])


def _started(fact: Fact) -> float | None:
    time = engine_time(fact.attributes.get("started_at"))
    return time.timestamp() if time else None


def _later(owner: Fact, guest: Fact) -> bool:
    began = [_started(fact) for fact in (owner, guest)]
    return began[0] is not None and began[1] is not None and began[0] > began[1]


def _joined(guest: Fact, other: str, how: str, cited: tuple[Citation, ...]) -> JoinedFact:
    told = Fact("note", guest.entity, {"name": NAME, "text": other, "value": how}, guest.source, guest.at)
    return JoinedFact(told, cited)
