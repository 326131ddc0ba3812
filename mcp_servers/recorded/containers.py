"""Containers of a bundle: docker/, and what captured commands say of containers, pods and cluster objects."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from bundle.bundle import Bundle
from domain.entity import name_of
from domain.facts import Fact
from domain.results import Facts
from mcp_servers.fact_kinds import CONTAINERS
from mcp_servers.recorded.facts import collected, shortened

_RUNNING: Final = ("container", "pod", "workload", "node")
_SHORT: Final = frozenset({
    "state", "status", "reason", "exit_code", "oom_killed", "restart_count", "health", "image", "phase", "ready",
    "restarts",
    "node", "desired", "ready_replicas", "unavailable", "last_reason", "last_exit_code", "pod", "namespace", "type",
    "error",
})  # fmt: skip
_USE: Final = frozenset({"memory_usage", "cpu_percent", "pids"})


class RecordedContainers:
    """The state that was recorded."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def list(self) -> Facts:
        """What runs, each with its state in a few attributes."""
        found = collected(self._bundle).select(lambda fact: fact.kind in _RUNNING and not _is_use(fact), self._bundle)
        return replace(found, facts=tuple(shortened(fact, _SHORT) for fact in found.facts))

    def inspect(self, name: str | None) -> Facts:
        """All that is known of one thing, or of all."""
        return collected(self._bundle).select(
            lambda fact: (
                fact.kind in CONTAINERS - {"event"} and not _is_use(fact) and (not name or _is_about(fact, name))
            ),
            self._bundle,
            f"name={name}" if name else "",
        )

    def events(self, since: datetime | None, until: datetime | None) -> Facts:
        """Events in the order of their time; those without one stand last, in the order of their source."""
        found = collected(self._bundle).select(
            lambda fact: fact.kind == "event" and _within(fact, since, until),
            self._bundle,
            window=_window(since, until),
        )
        ordered = sorted(found.facts, key=lambda fact: (fact.at is None, fact.at or self._bundle.now))
        return replace(found, facts=tuple(ordered))

    def stats(self) -> Facts:
        """What each container uses."""
        return collected(self._bundle).select(lambda fact: fact.kind == "container" and _is_use(fact), self._bundle)


def _is_use(fact: Fact) -> bool:
    """Whether it tells use rather than state."""
    return not fact.attributes.keys().isdisjoint(_USE) and "state" not in fact.attributes


def _is_about(fact: Fact, name: str) -> bool:
    """By its name, the pod it is in, its service, its owner, or the start of its id."""
    told = fact.attributes
    names = (name_of(fact.entity), told.get("pod"), told.get("service"), told.get("owner"), fact.entity)
    identity = str(told.get("id") or "")
    return (
        name in names or (len(name) >= 12 and identity.startswith(name)) or str(told.get("owner")).endswith(f"/{name}")
    )


def _within(fact: Fact, since: datetime | None, until: datetime | None) -> bool:
    if fact.at is None:
        return True
    return (since is None or fact.at >= since) and (until is None or fact.at <= until)


def _window(since: datetime | None, until: datetime | None) -> str:
    return " ".join(f"{word} {at.isoformat()}" for word, at in (("since", since), ("until", until)) if at)
