"""What a recording keeps of a machine: the processes, sockets and mounts of the scope in question, plus totals.

The scope is what somebody names. Beside it the heaviest processes and the fullest file systems are kept, since a lack
of something has its cause there; of all others only how many there were and what they used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.facts import Fact

_HEAVIEST: Final = 5  # by memory and as many by CPU, beside a scope that is named
_HEAVIEST_OF_ALL: Final = 15  # where none is named
_FULL: Final = 80.0  # percent
_STUCK: Final = ("D", "Z", "T")
_MIB: Final = 1 << 20


@dataclass(frozen=True)
class Scope:
    """Words that name what is in question: a process, a container, a path, a port."""

    words: tuple[str, ...] = ()

    def kept(self, facts: Sequence[Fact], beside: Sequence[Fact] = ()) -> tuple[Fact, ...]:
        """The facts that are kept, and totals of what is left out; `beside` tells of processes that own sockets."""
        heavy = self._heavy((*facts, *beside))
        kept = [fact for fact in facts if self._keeps(fact, heavy)]
        return (*kept, *_totals(facts, kept))

    def _keeps(self, fact: Fact, heavy: frozenset[Any]) -> bool:
        told = fact.attributes
        if fact.kind == "process":
            return "pid" not in told or told["pid"] in heavy or told.get("state") in _STUCK or self._names(fact)
        if fact.kind == "socket":
            return "count" in told or told.get("pid") in heavy or self._names(fact)
        if fact.kind == "filesystem":
            return told.get("mount") == "/" or _is_full(told) or self._names(fact)
        return True

    def _heavy(self, facts: Sequence[Fact]) -> frozenset[Any]:
        """The heaviest processes, by pid."""
        most = _HEAVIEST if self.words else _HEAVIEST_OF_ALL
        told = [fact.attributes for fact in facts if fact.kind == "process" and "pid" in fact.attributes]
        found: set[Any] = set()
        for use in ("rss", "cpu_percent"):
            users = [one for one in told if _number(one.get(use))]
            found.update(one["pid"] for one in sorted(users, key=lambda one: -_number(one[use]))[:most])
        return frozenset(found)

    def _names(self, fact: Fact) -> bool:
        told = (fact.entity.partition(":")[2], *(str(value) for value in fact.attributes.values()))
        return any(word.lower() in text.lower() for word in self.words if word for text in told)


def _is_full(told: dict[str, Any]) -> bool:
    shares = (told.get("use_percent"), told.get("inodes_use_percent"))
    return any(_number(share) >= _FULL for share in shares)


def _totals(facts: Sequence[Fact], kept: Sequence[Fact]) -> Iterator[Fact]:
    for kind, plural in (("process", "processes"), ("socket", "sockets"), ("filesystem", "file systems")):
        of = [fact for fact in facts if fact.kind == kind and "count" not in fact.attributes]
        left = [fact for fact in of if fact not in kept]
        if not left:
            continue
        used = _used(left) if kind == "process" else ""
        text = f"{len(of)} {plural} were seen, {len(left)} of them are left out of this recording{used}"
        yield Fact("reading", left[0].entity, {"name": plural, "value": len(of), "text": text}, left[0].source)


def _used(left: Sequence[Fact]) -> str:
    memory = sum(_number(fact.attributes.get("rss")) for fact in left) / _MIB
    cpu = sum(_number(fact.attributes.get("cpu_percent")) for fact in left)
    return f"; together they use {memory:.0f} MiB of memory and {cpu:.0f} % of a CPU"


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
