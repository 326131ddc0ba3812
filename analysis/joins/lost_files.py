"""Files that compose puts into a container: an updater that makes it anew from another image leaves them out."""

import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

NAME: Final = "lost_files"
_UPDATER: Final = re.compile(r"(?i)watchtower|ouroboros|shepherd|what-?s-?up-?docker|\bwud\b|tugtainer")
_MADE: Final = ("destroy", "create")  # in this order
_SOON: Final = timedelta(minutes=5)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container with configs or secrets of compose that was made anew where an updater runs."""
    updaters = [(at, fact) for at, fact in enumerate(case.facts) if _updates(fact)]
    told: set[str] = set()
    for at, asked in enumerate(case.facts):
        files = tuple(texts(asked.attributes, "put_files")) if asked.kind == "container" else ()
        made = _made(case, asked) if files and updaters and asked.entity not in told else None
        if made is None or not _lacks(case, asked, files):
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
    """The event by which the container was made just after the one of its name was destroyed.

    Compose makes the new one before it destroys the old one, and a first start destroys none.
    """
    events = [
        (event.at, at, event.attributes.get("reason"))
        for at, event in enumerate(case.facts)
        if event.kind == "event" and event.at and event.attributes.get("reason") in _MADE
        if case.inventory.same(event.entity, asked.entity)
    ]
    for (before, _, first), (after, at, second) in pairwise(sorted(events, key=lambda each: each[:2])):
        if (first, second) == _MADE and after - before <= _SOON:
            return at
    return None


def _lacks(case: Case, asked: Fact, files: tuple[str, ...]) -> bool:
    """Whether the container's own mounts were read, and one of the files is none of them."""
    runs = [
        fact.attributes
        for fact in case.facts
        if fact.kind == "container" and "put_files" not in fact.attributes and fact.attributes.get("state")
        if case.inventory.same(fact.entity, asked.entity)
    ]
    targets = {part for told in runs for mount in texts(told, "mounts") for part in mount.split(":")[1:2]}
    read = bool(targets) or any(told.get("unmounted") for told in runs)
    return read and not targets.issuperset(files)
