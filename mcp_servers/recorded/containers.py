"""Containers of a bundle: docker/, and what captured commands say of containers, pods and cluster objects."""

from dataclasses import replace
from datetime import datetime

from bundle.bundle import Bundle
from domain.results import Facts
from mcp_servers.container_facts import RUNNING, SHORT, is_about, is_use, shortened, within
from mcp_servers.container_facts import window as window_of
from mcp_servers.fact_kinds import CONTAINERS
from mcp_servers.recorded.facts import collected


class RecordedContainers:
    """The state that was recorded."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def list(self) -> Facts:
        """What runs, each with its state in a few attributes."""
        found = collected(self._bundle).select(lambda fact: fact.kind in RUNNING and not is_use(fact), self._bundle)
        return replace(found, facts=tuple(shortened(fact, SHORT) for fact in found.facts))

    def inspect(self, name: str | None) -> Facts:
        """All that is known of one thing, or of all."""
        return collected(self._bundle).select(
            lambda fact: (
                fact.kind in CONTAINERS - {"event"} and not is_use(fact) and (not name or is_about(fact, name))
            ),
            self._bundle,
            f"name={name}" if name else "",
        )

    def events(self, since: datetime | None, until: datetime | None) -> Facts:
        """Events in the order of their time; those without one stand last, in the order of their source."""
        found = collected(self._bundle).select(
            lambda fact: fact.kind == "event" and within(fact, since, until),
            self._bundle,
            window=window_of(since, until),
        )
        ordered = sorted(found.facts, key=lambda fact: (fact.at is None, fact.at or self._bundle.now))
        return replace(found, facts=tuple(ordered))

    def stats(self) -> Facts:
        """What each container uses."""
        return collected(self._bundle).select(lambda fact: fact.kind == "container" and is_use(fact), self._bundle)
