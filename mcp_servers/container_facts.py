"""Which facts of containers a tool hands out: the same over a bundle as over a live engine."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Final

from domain.entity import name_of
from domain.facts import Fact

RUNNING: Final = ("container", "pod", "workload", "node")
SHORT: Final = frozenset({
    "state", "status", "reason", "exit_code", "oom_killed", "restart_count", "health", "image", "phase", "ready",
    "restarts",
    "node", "desired", "ready_replicas", "unavailable", "last_reason", "last_exit_code", "pod", "namespace", "type",
    "error",
})  # fmt: skip
_USE: Final = frozenset({"memory_usage", "cpu_percent", "pids"})


def is_use(fact: Fact) -> bool:
    """Whether it tells use rather than state."""
    return not fact.attributes.keys().isdisjoint(_USE) and "state" not in fact.attributes


def is_about(fact: Fact, name: str) -> bool:
    """By its name, the pod it is in, its service, its owner, or the start of its id."""
    told = fact.attributes
    names = (name_of(fact.entity), told.get("pod"), told.get("service"), told.get("owner"), fact.entity)
    identity = str(told.get("id") or "")
    return (
        name in names or (len(name) >= 12 and identity.startswith(name)) or str(told.get("owner")).endswith(f"/{name}")
    )


def within(fact: Fact, since: datetime | None, until: datetime | None) -> bool:
    """Whether it is of that time; one without a time always is."""
    if fact.at is None:
        return True
    return (since is None or fact.at >= since) and (until is None or fact.at <= until)


def window(since: datetime | None, until: datetime | None) -> str:
    """The asked-for time in words."""
    return " ".join(f"{word} {at.isoformat()}" for word, at in (("since", since), ("until", until)) if at)


def shortened(fact: Fact, kept: Collection[str]) -> Fact:
    """The fact with these attributes only."""
    return replace(fact, attributes={name: value for name, value in fact.attributes.items() if name in kept})
