"""One inventory of what there is: which names mean the same thing, who has which address, who needs whom."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, Self

from analysis.captures.context import HOST
from analysis.inventory_links import Links
from analysis.inventory_names import RUNNING, Names
from domain.alert import Machines
from domain.entity import entity, kind_of, name_of
from domain.facts import Fact
from domain.results import Edge

_HERE: Final = entity("host", HOST)


class Inventory:
    """Names, addresses and dependencies of one incident. Immutable once built."""

    def __init__(self, names: Names, links: Links) -> None:
        self._names = names
        self._links = links
        self._reached: dict[str, frozenset[str]] = {}

    @classmethod
    def build(
        cls, facts: Iterable[Fact], edges: Iterable[Edge] = (), sources: Iterable[str] = (), machines: Machines = ()
    ) -> Self:
        """The inventory of these facts, given edges, names of text sources, and further names of machines."""
        names, known = Names(), tuple(facts)
        for fact in known:
            names.learn(fact)
        for source in sources:
            names.add(entity("service", _stem(source)))
        for called, *others in machines:
            for other in others:
                names.call(entity("host", called), other)
        names.join_by_name()
        names.join_lonely_containers(known)
        links = Links(names)
        for edge in edges:
            links.need(links.of_edge(edge.caller), links.of_edge(edge.callee), edge.origin or "topology")
        for fact in known:
            links.connect(fact)
        links.settle(known)
        return cls(names, links)

    def resolve(self, text: str, kind: str = "") -> str | None:
        """The entity that a name, id, address, `address:port`, URL or `kind:name` means; None where nobody knows it.

        `kind` is preferred where several kinds have the name.
        """
        return self._names.resolve(text, kind)

    def owner(self, source: str) -> str:
        """Whose text a source is: `logs/web.log` -> the container web, or service:web when nothing else is known."""
        stem = _stem(source)
        if found := self._names.named(stem, "container"):
            return found
        words = [word for word in reversed(re.split(r"[_/]", stem)) if len(word) > 2]
        return next((hit for word in words if (hit := self._names.named(word, "pod"))), entity("service", stem))

    def same(self, a: str, b: str) -> bool:
        """Whether both entities are one thing."""
        if a == b or self._names.known_group(a) == self._names.known_group(b):
            return True
        if kind_of(a) == kind_of(b) == "host":
            return self._is_here(a) and self._is_here(b)
        return name_of(a) == name_of(b) and kind_of(a) in RUNNING and kind_of(b) in RUNNING

    def _is_here(self, host: str) -> bool:
        """Whether the machine is the one of an incident that has only one: captures seldom tell its name."""
        known = [of for of in self._names.root if kind_of(of) == "host" and of != _HERE]
        return host == _HERE or not known or known == [host]

    def depends(self, a: str, b: str) -> bool:
        """Whether a needs b, directly or through others."""
        start, goal = self._names.known_group(a), self._names.known_group(b)
        return goal != start and goal in self._reach(start)

    def callees(self, of: str) -> tuple[str, ...]:
        """What it needs directly, sorted."""
        group = self._names.known_group(of)
        found = (callee for caller, callee in self._links.needs if self._names.group(caller) == group)
        return tuple(sorted({callee for callee in found if self._names.group(callee) != group}))

    def related(self, of: str) -> tuple[str, ...]:
        """What belongs together with it: the pod of a container, the workload of a pod, the host both run on."""
        members = (of, *self._members.get(self._names.known_group(of), ()))
        found = (other for member in members for other in self._links.related.get(member, ()))
        return tuple(dict.fromkeys(other for other in found if other != of))

    def address_owner(self, address: str) -> str | None:
        """Who has the address now, or had it last."""
        return self._names.address_owner(address)

    def edges(self) -> tuple[Edge, ...]:
        """Who needs whom, with where that was seen."""
        return tuple(Edge(caller, callee, origin) for (caller, callee), origin in sorted(self._links.needs.items()))

    def entities(self) -> tuple[str, ...]:
        """All known entities, sorted."""
        return tuple(sorted(self._names.root))

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        members: dict[str, list[str]] = defaultdict(list)
        for of in sorted(self._names.root):
            members[self._names.group(of)].append(of)
        return {group: tuple(found) for group, found in members.items()}

    @cached_property
    def _callees(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for caller, callee in self._links.needs:
            found[self._names.group(caller)].add(self._names.group(callee))
        return dict(found)

    def _reach(self, start: str) -> frozenset[str]:
        """All groups that a group needs, directly or through others."""
        if start not in self._reached:
            seen: set[str] = set()
            rest = [start]
            while rest:
                new = self._callees.get(rest.pop(), set()) - seen
                seen |= new
                rest.extend(new)
            self._reached[start] = frozenset(seen)
        return self._reached[start]


def _stem(source: str) -> str:
    return re.sub(r"[,;|\n]", "_", PurePosixPath(source).name.partition(".")[0]) or "unknown"
