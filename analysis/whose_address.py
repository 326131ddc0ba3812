"""Whether a host that somebody calls is the machine or container that a socket was seen on."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.addresses import is_own
from analysis.case import Case
from analysis.inventory_names import texts
from analysis.machines import machine, several_machines
from domain.entity import kind_of

_LOOPBACK: Final = re.compile(r"127(?:\.\d{1,3}){3}|::1")


def is_loopback(case: Case, host: str) -> bool:
    """Whether it is the caller's own loopback, by itself or by what its name resolves to."""
    found = list(_addresses(case, host))
    return is_own(_bare(host)) or (bool(found) and all(_LOOPBACK.fullmatch(each) for each in found))


def has(case: Case, at: int, host: str) -> bool:
    """Whether the host is an address or name of where the socket at this place was seen."""
    of = case.facts[at].entity
    found = [each for each in _addresses(case, host) if not _LOOPBACK.fullmatch(each)]
    owner = case.inventory.resolve(_bare(host), kind_of(of))
    if kind_of(of) in ("container", "pod"):
        owners = [owner, *map(case.inventory.address_owner, found)]
        return any(each is not None and case.inventory.same(each, of) for each in owners)
    if any(each in set(_of_interfaces(case, at)) for each in found):
        return True
    if several_machines(case):
        return kind_of(of) == "host" and owner is not None and case.inventory.same(owner, of)
    seen = any(machine(each, case.incident.seen) for each in (_bare(host), *found))
    return seen or (owner is not None and kind_of(owner) == "host")


def _bare(host: str) -> str:
    return host.rstrip(".").strip("[]").lower()


def _addresses(case: Case, host: str) -> Iterator[str]:
    """The host where it is an address, and what its name was seen to resolve to."""
    name = _bare(host)
    if name.replace(".", "").isdigit() or ":" in name:
        yield name
    for fact in case.facts:
        if fact.kind == "dns" and _bare(str(fact.attributes.get("query") or "")) == name:
            yield from texts(fact.attributes, "addresses")


def _of_interfaces(case: Case, at: int) -> Iterator[str]:
    """The addresses of the machine's interfaces; of several machines those that were told together with the socket."""
    for place in _together(case, at) if several_machines(case) else range(len(case.facts)):
        fact = case.facts[place]
        if fact.kind == "interface":
            yield from (text.partition("/")[0] for text in texts(fact.attributes, "addresses"))


def _together(case: Case, at: int) -> Iterator[int]:
    """Places of facts of one machine: of one source, and where a call's answers were joined, of one of its answers.

    Each machine tells its interfaces first, so that interfaces after other facts begin the next one's answer.
    """
    source, group, here, before = case.facts[at].source, 0, -1, "interface"
    groups: dict[int, int] = {}
    for place, fact in enumerate(case.facts):
        if fact.source == source:
            group += fact.kind == "interface" and before != "interface"
            groups[place], before = group, fact.kind
            here = group if place == at else here
    return (place for place, of in groups.items() if of == here)
