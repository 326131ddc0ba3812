"""Which entity is at fault: clues of metrics, traces and the call graph, fused to one ranked list."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.measured import clues, walk
from analysis.measured.clues import Clue
from domain.alert import Alert
from domain.results import Edge, SeriesSummary, TraceEdge

_NAME: Final = re.compile(r"[^,;|\s]*\w")  # something is left of it as an entity's name
ALSO: Final = 0.1  # of a second clue's strength: agreement helps, but ten weak clues do not beat a strong one
REFUTED: Final = 1.5  # off, in powers of ten of sigmas: below any clue that stands
REASON: Final = 0.1  # for what explains a latency over the latency: enough to be told first
CALLS: Final = 3  # or a median is an anecdote


@dataclass(frozen=True)
class Suspect:
    """An entity with all that speaks for it."""

    entity: str  # as the sources name it, without a kind
    fault: str  # of the strongest clue: a fault, or a symptom kind where the mechanism is open
    score: float  # comparable within one incident only
    clues: tuple[Clue, ...]  # the strongest first

    @property
    def why(self) -> str:
        """The strongest clue in words."""
        return self.clues[0].why


def rank(
    alerts: Sequence[Alert],
    entities: Sequence[str],
    series: Sequence[SeriesSummary],
    edges: Sequence[Edge],
    trace_edges: Sequence[TraceEdge],
) -> list[Suspect]:
    """Suspects, the most likely first, ties by name.

    What an entity does to itself (its own processor, memory, disk) and what the network before it does is direct
    evidence. Latency and errors travel from callee to caller, so for them the call graph is walked down to the last
    that suffers. What is loudest says nothing by itself.
    """
    graph = [*edges, *(Edge(edge.caller, edge.callee, "trace") for edge in trace_edges if edge.caller)]
    found = [
        *clues.of_resources(series),
        *clues.of_edge_series(series),
        *(_inside(clue, series, trace_edges) for clue in clues.of_traces(trace_edges)),
        *walk.of_starved(series, graph),
        *_explained(
            _confirmed(walk.of_latency_and_errors(alerts, entities, series, graph), series, trace_edges), series
        ),
    ]
    by_entity: dict[str, list[Clue]] = defaultdict(list)
    for clue in found:
        if not _NAME.match(clue.entity):
            continue  # a series without a label is nobody's
        by_entity[clue.entity].append(clue)
    return sorted((_suspect(name, of) for name, of in by_entity.items()), key=lambda one: (-one.score, one.entity))


def _inside(clue: Clue, series: Sequence[SeriesSummary], trace_edges: Sequence[TraceEdge]) -> Clue:
    """A delay before a callee's span that the callee's own end measured too is no network: calls wait there, before
    the program takes them up, as they do where its processor is at its limit."""
    if clue.fault != "network.delay" or clue.edge is None:
        return clue
    edge = trace_edges[clue.edge]
    added = (edge.gap_after_ms or 0.0) - (edge.gap_before_ms or 0.0)
    if clue.entity != edge.callee or clues.served_later_ms(series, edge.callee) < added / 2:
        return clue
    limit = clues.at_limit(series, edge.callee)
    if limit is None:
        return replace(clue, fault="trace.slow", why=f"{clue.why}; its own end measured the delay too")
    why = f"{clues.told(series[limit])}; calls wait before it takes them up ({clue.why})"
    return replace(clue, fault="cpu.saturation", why=why)


def _confirmed(of: Iterable[Clue], series: Sequence[SeriesSummary], trace_edges: Sequence[TraceEdge]) -> Iterator[Clue]:
    """The clues, weaker where traces saw the entity's own calls, or it measured them itself, as fast as ever.

    A percentile of few requests jumps with one of them; the median of the calls themselves does not. What only its
    callers found slow did not take longer inside it.
    """
    as_ever = clues.served_as_ever(series)
    seen = {edge.callee: set[str]() for edge in trace_edges if edge.calls_before and edge.calls_after >= CALLS}
    for edge in trace_edges:
        seen.get(edge.callee, set()).add(edge.what)
    for clue in of:
        outside = clue.entity in as_ever and clue.series is not None and clues.is_callers(series[clue.series])
        refuted = clue.fault == "trace.slow" and (seen.get(clue.entity) == {"ok"} or outside)
        yield replace(clue, strength=clue.strength - REFUTED) if refuted else clue


def _explained(of: Iterable[Clue], series: Sequence[SeriesSummary]) -> Iterator[Clue]:
    """The clues, and for what became slow while its processor share rose to its limit, that as the reason.

    A service that is busy anyway has few sigmas left to its limit, so its share alone may be no clue.
    """
    for clue in of:
        yield clue
        limit = clues.at_limit(series, clue.entity) if clue.fault == "trace.slow" else None
        if limit is not None:
            why = f"{clues.told(series[limit])}, and it became slow"
            yield Clue(clue.entity, "cpu.saturation", clue.strength + REASON, why, series=limit)


def _suspect(entity: str, of: list[Clue]) -> Suspect:
    of = sorted(of, key=lambda clue: (-clue.strength, clue.fault, clue.why))
    kinds = {clue.fault: clue.strength for clue in reversed(of)}  # the strongest of each kind
    others = sum(kinds.values()) - of[0].strength
    return Suspect(entity, of[0].fault, round(of[0].strength + ALSO * others, 4), tuple(of))
