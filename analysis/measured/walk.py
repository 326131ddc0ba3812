"""Clues that travel: latency and errors, followed down the call graph to the last that suffers."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.measured.callgraph import callees, distances, is_pseudo, suffering_below
from analysis.measured.clues import Clue, badness, told, weighed
from analysis.measured.felt import felt
from domain.alert import Alert
from domain.entity import KINDS, kind_of, name_of
from domain.results import Edge, SeriesSummary

NOTICED: Final = 3.0  # sigmas: on a way down from the symptom even little is a trace
SUFFERS: Final = 10.0  # sigmas: who suffers less while others suffer much is touched in passing
LAST: Final = 1.0  # for the last that suffers on a way down: callers often suffer more, by retries and full pools
FAR: Final = 1.0  # off, for one whom the symptom does not depend on
VIEW: Final = 2.0  # off, for a proxy, a client, a remote end: it shows another's trouble
TRAVELS: Final = 0.7  # of a direct clue's strength: a latency may be another's
DRY: Final = 0.05  # share of the traffic before: no calls any more
FLOWS: Final = 0.5  # share of the traffic before: calls as before, within their noise
DROP: Final = 1.5  # sigmas: calls that are rare anyway pause by chance
STARVED: Final = 2.0  # strength: an absence counts like a deviation of ten sigmas of one's own
_SYMPTOMS: Final = {
    "latency": re.compile(r"latenc|slow|duration|response.?time|p9\d", re.IGNORECASE),
    "error": re.compile(r"availab|error|fail|5xx|success.?rate", re.IGNORECASE),
}


@dataclass(frozen=True)
class _Suffering:
    """How much an entity suffers, and the series that shows it best."""

    score: float
    added: Mapping[str, float]  # what a call became worse by, for each metric
    at: int


def symptoms(alerts: Sequence[Alert]) -> frozenset[str]:
    """latency, error or both: what the alerts complain about, by name first, then by their words."""
    for texts in (
        [alert.name for alert in alerts],
        [text for alert in alerts for text in (*alert.labels.values(), *alert.annotations.values())],
    ):
        found = frozenset(kind for kind, words in _SYMPTOMS.items() if any(words.search(text) for text in texts))
        if found:
            return found
    return frozenset(_SYMPTOMS)


def of_latency_and_errors(
    alerts: Sequence[Alert], entities: Sequence[str], series: Sequence[SeriesSummary], edges: Sequence[Edge]
) -> Iterator[Clue]:
    """One clue for each entity and symptom that suffers, stronger for the last on a way down."""
    graph = callees(edges)
    starts = [name_of(entity) if kind_of(entity) in KINDS else entity for entity in entities]
    hops = distances(graph, [name for name in starts if name in graph])
    for kind in sorted(symptoms(alerts)):
        suffering = _suffering(series, kind)
        for name in sorted(suffering):
            yield _clue(name, kind, suffering, graph, hops, series)


def _suffering(series: Sequence[SeriesSummary], kind: str) -> dict[str, _Suffering]:
    found: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(series):
        if one.kind == kind and badness(one) >= NOTICED and "->" not in one.entity and felt(one):
            found[one.entity].append(at)
    return {name: _worst(series, places) for name, places in found.items()}


def _worst(series: Sequence[SeriesSummary], places: list[int]) -> _Suffering:
    worst = max(places, key=lambda at: (badness(series[at]), -at))
    added = {
        series[at].metric: abs((series[at].median_after or 0.0) - (series[at].median_before or 0.0)) for at in places
    }
    return _Suffering(badness(series[worst]), added, worst)


def _clue(
    name: str,
    kind: str,
    suffering: Mapping[str, _Suffering],
    graph: Mapping[str, tuple[str, ...]],
    hops: Mapping[str, int],
    series: Sequence[SeriesSummary],
) -> Clue:
    of = suffering[name]
    much: Collection[str] = {each for each, how in suffering.items() if how.score >= SUFFERS}
    below = suffering_below(graph, name, much, {each: how.added for each, how in suffering.items()})
    strength = TRAVELS * weighed(of.score)
    itself = hops.get(name) == 0  # the alerted symptom asks for an explanation and is none
    strength += LAST if name in much and not below and not itself else 0.0
    strength -= FAR if hops and name not in hops else 0.0
    strength -= VIEW if is_pseudo(name) else 0.0
    last = ", and nothing that it calls suffers as much" if not below and name in graph else ""
    fault = "trace.slow" if kind == "latency" else "trace.failing"
    return Clue(name, fault, strength, told(series[of.at]) + last, series=of.at)


def of_starved(series: Sequence[SeriesSummary], edges: Sequence[Edge]) -> Iterator[Clue]:
    """Who is still called as before, but no longer calls on: it ends early, by an exception or a wrong answer.

    It shows at its callees, to which no calls come any more; one that others call too proves nothing.
    """
    flows = {one.entity: (at, one) for at, one in reversed(list(enumerate(series))) if one.kind == "traffic"}
    starved = {name for name, (_, one) in flows.items() if _flow(one) <= DRY and one.score <= -DROP}
    callers: dict[str, set[str]] = defaultdict(set)
    for caller, called in callees(edges).items():
        for callee in called:
            callers[callee].add(caller)
    for name in sorted(starved):
        alive = [caller for caller in sorted(callers[name]) if caller in flows and _flow(flows[caller][1]) >= FLOWS]
        if len(callers[name]) == 1 and alive:
            at, one = flows[name]
            why = f"{alive[0]} is called as before but no longer calls {name}: {told(one)}"
            yield Clue(alive[0], "application.exception", STARVED, why, series=at)


def _flow(one: SeriesSummary) -> float:
    """What is left of the traffic, as a share of before."""
    return (one.median_after or 0.0) / one.median_before if one.median_before else 1.0
