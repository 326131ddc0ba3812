"""A noisy neighbour: something that the symptom does not need took what the machine they share had left."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from analysis.measured.callgraph import callees, distances
from analysis.measured.clues import SURE, badness, number, told
from domain.entity import entity as named
from domain.entity import is_entity, name_of
from domain.evidence import Citation, Finding, Severity
from domain.results import Edge, SeriesSummaries, SeriesSummary

NEIGHBOUR: Final = "cpu.noisy_neighbour"
TAKES: Final = 2.0  # times its use before: less would not fill a machine
FULL: Final = 0.75  # share of a machine's processors or memory from where on its guests wait for each other
NODE: Final = "node_"  # how series of a machine are called, whoever exports them
WEIGHT: Final = 0.85
_Placed = tuple[int, SeriesSummary]


def neighbours(
    alerted: Sequence[str], found: SeriesSummaries, edges: Sequence[Edge], machines: Collection[str], call_id: str
) -> Iterator[Finding]:
    """One finding, if a machine filled up while a thing on no way from or to the symptom began to take much more."""
    placed = [(at, one) for at, one in enumerate(found.series) if one.kind in ("cpu", "memory")]
    felt = [(at, one) for at, one in placed if badness(one) >= SURE and "->" not in one.entity]
    hosts = {one.entity for _, one in placed if one.metric.startswith(NODE)} | set(machines)
    full = [(at, one) for at, one in felt if one.entity in hosts and _is_full(one)]
    if not full or not alerted:
        return
    apart = hosts | _on_the_way({name_of(each) for each in alerted}, edges)
    grown = [(at, one) for at, one in felt if one.entity not in apart and _takes_more(one)]
    if grown:
        yield _finding(name_of(alerted[0]), _worst(full), _worst(grown), call_id)


def _on_the_way(symptom: set[str], edges: Sequence[Edge]) -> set[str]:
    """The symptom, all that it needs, and all that calls anything: what takes part in serving is no stranger."""
    return symptom | set(distances(callees(edges), sorted(symptom))) | {edge.caller for edge in edges}


def _is_full(one: SeriesSummary) -> bool:
    share = (one.median_after or 0.0) / (100.0 if one.max > 1.5 else 1.0)
    return FULL <= share <= 1.0


def _takes_more(one: SeriesSummary) -> bool:
    return (one.median_after or 0.0) >= TAKES * (one.median_before or 0.0) > 0


def _worst(of: list[_Placed]) -> _Placed:
    return max(of, key=lambda each: (each[1].kind == "cpu", badness(each[1]), -each[0]))


def _finding(victim: str, full: _Placed, grown: _Placed, call_id: str) -> Finding:
    node, most = full[1], grown[1]
    said = (
        f"{told(most)}, while the node {node.entity} filled up ({node.metric} from {number(node.median_before)} to "
        f"{number(node.median_after)}): a noisy neighbour, which {victim} does not need, takes its CPU and memory"
    )
    cited = tuple(
        Citation(call_id, one.source, path=f"/series/{at}/median_after", value=one.median_after)
        for at, one in (grown, full)
    )
    return Finding(
        most.entity if is_entity(most.entity) else named("service", most.entity), NEIGHBOUR, said, cited, most.onset,
        most.step_seconds, Severity.ERROR, WEIGHT, "cpu-noisy-neighbour/filled",
        {"victim": victim, "node": node.entity}, most.score,
    )  # fmt: skip
