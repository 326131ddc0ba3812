"""The metric agent's tactic: which series and calls changed at the alert, and which entity that points to."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from agents.offline.metric_neighbours import neighbours
from agents.offline.metric_steady import steady
from agents.offline.variants import of_series
from agents.tactic import Call, Knowledge, Observation, ToolCalls
from analysis.measured.clues import SURE, Clue, told
from analysis.measured.fusion import STRENGTH
from analysis.measured.localise import Suspect, rank
from analysis.signatures import metric_findings
from domain.codec import from_plain
from domain.entity import entity as named
from domain.entity import is_entity, kind_of, name_of
from domain.evidence import Citation, Evidence, Finding, Gap, Severity
from domain.plan import Task
from domain.results import Edge, SeriesSummaries, SeriesSummary, Topology, TraceEdge, TraceEdges

SERIES: Final = 300  # of all series, the most anomalous: what is not among these did not change
CALLS: Final = 200
SUSPECTS: Final = 8  # findings of the ranking; a tenth suspect is noise
CLUES: Final = 3  # of one suspect
BEST, STEP, LEAST = 0.9, 0.1, 0.15  # weights by rank, so that they alone carry the order to root_cause
SURGE: Final = 2.0  # times the traffic before: a service is built for its usual peak, not for twice of now
T = TypeVar("T")


@dataclass(frozen=True)
class _Seen:
    """What the tools returned, and the calls to cite."""

    series: SeriesSummaries | None
    series_call: str
    traces: TraceEdges | None
    traces_call: str
    topology: Topology | None
    alerted: tuple[SeriesSummary, ...]
    alerted_call: str


def step(task: Task, observations: tuple[Observation, ...], knowledge: Knowledge) -> ToolCalls | Evidence:
    """All questions at once, then the conclusion."""
    if not observations:
        return _questions(task)
    return _conclude(task, _seen(observations), observations, knowledge)


def _questions(task: Task) -> ToolCalls:
    about = name_of(task.entities[0]) if task.entities else ""
    calls = [Call("metrics_anomalies", {"moment": task.fired_at, "top": SERIES})]
    if about:
        calls.append(Call("metrics_summary", {"moment": task.fired_at, "entity": about, "top": 40}))
    calls += [Call("traces_edges", {"moment": task.fired_at, "top": CALLS}), Call("topology_edges")]
    return ToolCalls(tuple(calls))


def _result(of: type[T], tool: str, observations: tuple[Observation, ...]) -> tuple[T | None, str]:
    for one in observations:
        if one.tool == tool and one.data is not None and one.status in ("ok", "no_data"):
            return from_plain(of, one.data), one.call_id
    return None, ""


def _seen(observations: tuple[Observation, ...]) -> _Seen:
    alerted, alerted_call = _result(SeriesSummaries, "metrics_summary", observations)
    series, series_call = _result(SeriesSummaries, "metrics_anomalies", observations)
    traces, traces_call = _result(TraceEdges, "traces_edges", observations)
    topology, _ = _result(Topology, "topology_edges", observations)
    of_alerted = alerted.series if alerted else ()
    return _Seen(series, series_call, traces, traces_call, topology, of_alerted, alerted_call)


def _conclude(task: Task, seen: _Seen, observations: tuple[Observation, ...], knowledge: Knowledge) -> Evidence:
    series = seen.series.series if seen.series else ()
    calls = seen.traces.edges if seen.traces else ()
    edges = _edges(seen)
    suspects = rank(task.alerts, task.entities, series, edges, calls)
    findings = [*_suspected(task, suspects, seen, series, calls), *_surge(task, seen)]
    if task.entities:
        findings += steady(task.entities[0], seen.alerted, seen.alerted_call)
    if seen.series:
        findings += metric_findings(seen.series, seen.series_call, knowledge)
        machines = seen.topology.runs_on.values() if seen.topology else ()
        findings += of_series(seen.series, seen.series_call)
        findings += neighbours(task.entities, seen.series, edges, frozenset(machines), seen.series_call)
    return Evidence(
        "metric", "analyst", _conclusion(suspects, series, calls), tuple(findings), tuple(_gaps(observations)),
        edges=edges,
    )  # fmt: skip


def _edges(seen: _Seen) -> tuple[Edge, ...]:
    listed = seen.topology.edges if seen.topology else ()
    known = {(edge.caller, edge.callee) for edge in listed}
    traced = {(edge.caller, edge.callee) for edge in (seen.traces.edges if seen.traces else ()) if edge.caller}
    new = sorted(pair for pair in traced - known if pair[0] != pair[1])
    return (*listed, *(Edge(caller, callee, "trace") for caller, callee in new))


def _suspected(
    task: Task,
    suspects: list[Suspect],
    seen: _Seen,
    series: tuple[SeriesSummary, ...],
    calls: tuple[TraceEdge, ...],
) -> Iterator[Finding]:
    """One finding for each clue of the first suspects; those of the first suspect weigh most."""
    for place, suspect in enumerate(suspects[:SUSPECTS]):
        weight = max(BEST - STEP * place, LEAST)
        for number, clue in enumerate(suspect.clues[:CLUES]):
            citations, onset, resolution, sigmas = _grounds(clue, seen, series, calls)
            yield Finding(
                _entity(task, suspect.entity, clue, series), clue.fault, clue.why, citations, onset, resolution,
                Severity.ERROR if place == 0 else Severity.WARNING, round(weight - 0.02 * number, 2),
                captures={"rank": str(place + 1), STRENGTH: f"{clue.strength:.3f}"}, score=sigmas,
            )  # fmt: skip


def _grounds(
    clue: Clue, seen: _Seen, series: tuple[SeriesSummary, ...], calls: tuple[TraceEdge, ...]
) -> tuple[tuple[Citation, ...], datetime | None, float | None, float]:
    if clue.series is not None:
        one = series[clue.series]
        cited = _cite(seen.series_call, one.source, f"/series/{clue.series}", one)
        return cited, one.onset, one.step_seconds, one.score
    assert clue.edge is not None
    edge = calls[clue.edge]
    source = seen.traces.searched.source if seen.traces else ""
    return (
        (Citation(seen.traces_call, source, path=f"/edges/{clue.edge}/score", value=edge.score),),
        None,
        None,
        edge.score,
    )


def _cite(call: str, source: str, path: str, one: SeriesSummary) -> tuple[Citation, ...]:
    values = {"median_before": one.median_before, "median_after": one.median_after, "score": one.score}
    return tuple(Citation(call, source, path=f"{path}/{name}", value=value) for name, value in values.items())


def _entity(task: Task, name: str, clue: Clue, series: tuple[SeriesSummary, ...]) -> str:
    known = next((entity for entity in task.entities if name in (entity, name_of(entity))), None)
    if known:
        return known
    if is_entity(name):
        return name
    metric = series[clue.series].metric if clue.series is not None else ""
    return named("host" if metric.startswith("node_") else kind_by_name(name), name)


def kind_by_name(name: str) -> str:
    """The entity kind of a bare name in metrics and traces: what is not said to be something else is a service."""
    return kind_of(name) if kind_of(name) in ("host", "pod", "container", "database", "queue") else "service"


def _surge(task: Task, seen: _Seen) -> Iterator[Finding]:
    """More work than before at the alerted entity: the one traffic series that grew most."""
    grown = [
        (one.score, at)
        for at, one in enumerate(seen.alerted)
        if one.kind == "traffic"
        and one.score >= SURE
        and (one.median_after or 0) >= SURGE * (one.median_before or 0) > 0
    ]
    if not grown or not task.entities:
        return
    at = max(grown)[1]
    one = seen.alerted[at]
    cited = _cite(seen.alerted_call, one.source, f"/series/{at}", one)
    yield Finding(
        task.entities[0], "load.surge", told(one), cited, one.onset, one.step_seconds, weight=0.35, score=one.score
    )


def _conclusion(suspects: list[Suspect], series: tuple[SeriesSummary, ...], calls: tuple[TraceEdge, ...]) -> str:
    looked = f"{len(series)} series and {len(calls)} calls"
    if not suspects:
        return f"None of {looked} changed at the alert."
    return f"Of {looked}, {suspects[0].entity} stands out ({suspects[0].fault}): {suspects[0].why}."


def _gaps(observations: tuple[Observation, ...]) -> Iterator[Gap]:
    for one in observations:
        if one.status not in ("ok", "no_data"):
            yield Gap(one.tool, one.error or one.status, "the other sources")
        elif isinstance(one.data, dict):
            for problem in (one.data.get("searched") or {}).get("problems") or ():
                yield Gap(one.tool, str(problem))
