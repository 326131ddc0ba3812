"""Files that compose puts into a container: an updater that makes it anew from another image leaves them out."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

NAME: Final = "lost_files"
_UPDATER: Final = re.compile(r"(?i)watchtower|ouroboros|shepherd|what-?s-?up-?docker|\bwud\b|tugtainer|portainer")
_MADE: Final = ("create", "destroy")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container with configs or secrets of compose that was made anew where an updater runs."""
    updaters = [(at, fact) for at, fact in enumerate(case.facts) if _updates(fact)]
    told: set[str] = set()
    for at, asked in enumerate(case.facts):
        files = tuple(texts(asked.attributes, "put_files")) if asked.kind == "container" else ()
        made = _made(case, asked) if files and updaters and asked.entity not in told else None
        if made is None or _has_all(case, asked, files):
            continue
        told.add(asked.entity)
        place, updater = updaters[0]
        more: dict[str, Attribute] = {"name": NAME, "text": ", ".join(files), "value": name_of(updater.entity)}
        cited = (*case.cite(at, "put_files"), *case.cite(made, "reason"), *case.cite(place, "image"))
        yield JoinedFact(Fact("note", asked.entity, more), cited, case.facts[made].at)


def _updates(fact: Fact) -> bool:
    named = f"{name_of(fact.entity)} {fact.attributes.get('image')}"
    return fact.kind == "container" and fact.attributes.get("state") == "running" and bool(_UPDATER.search(named))


def _made(case: Case, asked: Fact) -> int | None:
    """The event by which the container was made anew."""
    return next(
        (
            at
            for at, event in enumerate(case.facts)
            if event.kind == "event" and event.attributes.get("reason") in _MADE
            if case.inventory.same(event.entity, asked.entity)
        ),
        None,
    )


def _has_all(case: Case, asked: Fact, files: tuple[str, ...]) -> bool:
    """Whether the running container has a mount for each of them."""
    targets = {
        part
        for fact in case.facts
        if fact.kind == "container" and case.inventory.same(fact.entity, asked.entity)
        for mount in texts(fact.attributes, "mounts")
        for part in mount.split(":")[1:2]
    }
    return all(file in targets for file in files)
