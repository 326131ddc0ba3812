"""Containers that live in the network of another one which is gone, or was started again after them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "shared_network"
_SHORT: Final = 12  # characters of an id that people are shown
_UP: Final = "running"


def lost_networks(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container whose network went away under it."""
    known = {str(f.attributes["id"]): (at, f) for at, f in _inspected(case) if f.attributes.get("id")}
    for at, guest in _inspected(case):
        kind, _, owner = str(guest.attributes.get("network_mode") or "").partition(":")
        if kind != "container" or not owner or guest.attributes.get("state") != _UP or not known:
            continue
        cited = case.cite(at, "network_mode", "started_at")
        place, found = known.get(owner, (-1, None)) if len(owner) > _SHORT else (-1, _named(case, owner))
        if found is None:
            yield _joined(guest, owner[:_SHORT], "removed", cited)
        elif _later(found, guest):
            cited += case.cite(place, "started_at") if place >= 0 else ()
            yield _joined(guest, found.entity.partition(":")[2], "started again", cited)


def _inspected(case: Case) -> Iterator[tuple[int, Fact]]:
    return ((at, fact) for at, fact in enumerate(case.facts) if fact.kind == "container")


def _named(case: Case, name: str) -> Fact | None:
    of = case.inventory.resolve(name, "container")
    return next((fact for _, fact in _inspected(case) if fact.entity == of), None)


def _later(owner: Fact, guest: Fact) -> bool:
    try:
        began = [datetime.fromisoformat(str(fact.attributes["started_at"])) for fact in (owner, guest)]
        return began[0] > began[1]
    except (KeyError, ValueError, TypeError):  # not told, or one with and one without a zone
        return False


def _joined(guest: Fact, other: str, how: str, cited: tuple[Citation, ...]) -> JoinedFact:
    told = Fact("note", guest.entity, {"name": NAME, "text": other, "value": how}, guest.source, guest.at)
    return JoinedFact(told, cited)
