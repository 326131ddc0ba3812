"""The topology as containers tell it: labels of compose, addresses in environments, shared networks and volumes."""

from analysis.inventory import Inventory
from domain.entity import name_of
from domain.facts import Fact
from domain.results import Edge, Searched, Topology
from mcp_servers.live.containers import state_of
from mcp_servers.live.engine import Engine
from mcp_servers.live.watch import Watch


class LiveTopology:
    """Reads the engine at every question."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine, self._watch = engine, watch

    def topology(self) -> Topology:
        """Who needs whom by the containers' own configuration, and that they run on this machine."""
        problems: list[str] = []
        if not self._engine.is_there:
            return Topology((), {}, Searched("no container engine, and no topology file: who calls whom is not known"))
        facts = state_of(self._engine, self._watch, problems)
        edges = edges_of(facts)
        runs_on = {name_of(fact.entity): self._watch.host for fact in facts if fact.kind == "container"}
        searched = Searched(self._engine.name, matched=len(edges), returned=len(edges), problems=tuple(problems))
        return Topology(edges, dict(sorted(runs_on.items())), searched)


def edges_of(facts: list[Fact]) -> tuple[Edge, ...]:
    """The edges between what runs, by bare names as a topology file has them."""
    inventory = Inventory.build(facts)
    kept = {
        Edge(name_of(edge.caller), name_of(edge.callee), edge.origin)
        for edge in inventory.edges()
        if edge.origin in ("compose", "env", "network")
    }
    return tuple(sorted(kept, key=lambda edge: (edge.caller, edge.callee, edge.origin)))
