"""Containers of a live engine, read by the same parsers as a recorded one's documents."""

from datetime import datetime

from analysis.captures.docker_events import event_fact
from analysis.captures.docker_inspect import inspect_facts
from analysis.captures.docker_stats import stats_fact
from domain.facts import Fact
from domain.results import Facts
from mcp_servers.container_facts import RUNNING, SHORT, is_about, is_use, shortened, within
from mcp_servers.container_facts import window as window_of
from mcp_servers.fact_kinds import CONTAINERS
from mcp_servers.joined import joined
from mcp_servers.live.answer import answer, attempt
from mcp_servers.live.engine import Engine
from mcp_servers.live.watch import Watch


class LiveContainers:
    """What the engine says now. An engine that is away is a problem, never a crash."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine, self._watch = engine, watch

    def list(self) -> Facts:
        """What runs, each with its state in a few attributes."""
        problems: list[str] = []
        facts = [
            shortened(fact, SHORT) for fact in state_of(self._engine, self._watch, problems) if fact.kind in RUNNING
        ]
        return answer(facts, self._watch, self._engine.name, problems)

    def inspect(self, name: str | None) -> Facts:
        """All that is known of one container, or of all, with the images and volumes they use."""
        problems: list[str] = []
        facts = [*state_of(self._engine, self._watch, problems), *_used(self._engine, self._watch, problems)]
        kept = [fact for fact in facts if fact.kind in CONTAINERS and (not name or is_about(fact, name))]
        return answer(kept, self._watch, self._engine.name, problems, f"name={name}" if name else "")

    def events(self, since: datetime | None, until: datetime | None) -> Facts:
        """Events in the order of their time."""
        problems: list[str] = []
        start, end = since or self._watch.start, min(until or self._watch.end, self._watch.end)
        found = attempt(lambda: self._engine.events(start, max(start, end)), problems)
        context = self._watch.context(f"{self._engine.name} events")
        facts = joined([fact for event in found if (fact := event_fact(event, context)) is not None])
        kept = sorted((f for f in facts if within(f, since, until)), key=lambda fact: (fact.at is None, fact.at or end))
        return answer(kept, self._watch, self._engine.name, problems, window=window_of(since, until))

    def stats(self) -> Facts:
        """What each running container uses."""
        problems: list[str] = []
        context = self._watch.context(f"{self._engine.name} stats")
        samples = attempt(lambda: self._engine.stats(problems), problems)
        now = [fact for sample in samples if (fact := stats_fact(_untimed(sample), context)) is not None]
        facts = [
            fact
            for fact in joined([*state_of(self._engine, self._watch, problems), *now])
            if fact.kind == "container" and is_use(fact)
        ]
        return answer(facts, self._watch, self._engine.name, problems)


def state_of(engine: Engine, watch: Watch, problems: list[str]) -> list[Fact]:
    """Facts of all containers; nothing, and a problem, where the engine is away."""
    found = attempt(lambda: engine.containers(problems), problems)
    return inspect_facts(list(found), watch.context(f"{engine.name} inspect"))


def names_by_id(engine: Engine) -> dict[str, str]:
    """Names of containers by the start of their id; empty where nobody knows."""
    if not engine.is_there:
        return {}
    found = attempt(lambda: engine.containers([]), [])
    return {str(one.get("Id", ""))[:12]: str(one.get("Name", "")).lstrip("/") for one in found}


def _used(engine: Engine, watch: Watch, problems: list[str]) -> list[Fact]:
    """Images of the containers, and volumes."""
    if problems:  # an engine that is away is not asked again
        return []
    found = attempt(lambda: [*engine.images(engine.used_images(), problems), *engine.volumes()], problems)
    return inspect_facts(list(found), watch.context(f"{engine.name} inspect"))


def _untimed(sample: dict[str, object]) -> dict[str, object]:
    """A sample is taken now, whatever the window: its time must not hide it."""
    return {name: value for name, value in sample.items() if name != "read"}
