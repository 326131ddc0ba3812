"""The infra tactic: in what state what runs and what it runs on is, and what was changed before."""

from collections.abc import Iterator
from typing import Final, TypeVar

from agents.offline.change_blame import blame, follow_up
from agents.offline.changes_near import change_findings
from agents.offline.infra_state import state_of
from agents.offline.infra_well import well_of
from agents.tactic import Call, Knowledge, Observation, ToolCalls
from analysis.lines.timestamps import format_time
from analysis.signatures import state_findings
from analysis.text import clip
from domain.codec import from_plain
from domain.evidence import Evidence, Finding, Gap, Severity
from domain.facts import Fact
from domain.plan import Task
from domain.results import Change, Changes, Edge, Facts, Topology

FACT_TOOLS: Final = ("containers_inspect", "containers_events", "containers_stats", "host_snapshot", "network_probes")
READING_CHARS: Final = 300  # of a reading's text that goes on to root_cause
MOST_FACTS: Final = 1500  # that go on to root_cause
MOST_NAMED: Final = 4  # things that the conclusion names
T = TypeVar("T")


def step(task: Task, observations: tuple[Observation, ...], knowledge: Knowledge) -> ToolCalls | Evidence:
    """Asks everything at once, then what the most suspicious changes did, then concludes."""
    if not observations:
        return ToolCalls(calls(task))
    if more := follow_up(task, observations):
        return ToolCalls(more)
    return conclude(task, observations, knowledge)


def calls(task: Task) -> tuple[Call, ...]:
    """All that the agent wants to know; the calls do not depend on each other."""
    moment = task.fired_at or format_time(task.window.end)
    states = (Call(tool) for tool in FACT_TOOLS)
    return (*states, Call("changes_before", {"moment": moment, **_symptom(task)}), Call("topology_edges"))


def _symptom(task: Task) -> dict[str, str]:
    return {"symptom": task.entities[0]} if task.entities else {}


def conclude(task: Task, observations: tuple[Observation, ...], knowledge: Knowledge) -> Evidence:
    """Findings of the state, by runbooks and in general, and what root_cause needs to connect them."""
    read = [(seen.call_id, _result(seen, Facts)) for seen in observations if seen.tool in FACT_TOOLS and seen.data]
    changed = [
        (seen.call_id, _result(seen, Changes)) for seen in observations if seen.tool == "changes_before" and seen.data
    ]
    findings = [finding for call_id, facts in read for finding in state_findings(facts, call_id, knowledge)]
    findings += state_of(read)
    findings += well_of(read, task.window.end)
    blamed = blame(task, observations)
    names = {finding.entity for finding in blamed}
    findings += blamed
    findings += [finding for call_id, changes in changed for finding in change_findings(changes, call_id, names)]
    kept = tuple(_kept(read))
    return Evidence(
        task.agent,
        "analyst",
        _conclusion(findings, read),
        tuple(findings),
        tuple(_gaps(observations)),
        facts=tuple(fact for fact, _ in kept),
        places=tuple(place for _, place in kept),
        edges=tuple(_edges(observations)),
        changes=tuple(_changes(changed)),
    )


def _result(seen: Observation, of: type[T]) -> T:
    return from_plain(of, seen.data)


def _kept(read: list[tuple[str, Facts]]) -> Iterator[tuple[Fact, str]]:
    """Facts for the inventory, for joins and for what speaks against a fault, with where each stands in which result;
    long texts cut, news of what is normal left out."""
    facts = [(fact, f"{call_id}/facts/{at}") for call_id, found in read for at, fact in enumerate(found.facts)]
    told = [(f, place) for f, place in facts if f.kind != "note" and f.attributes.get("type") != "Normal"]
    for fact, place in told[:MOST_FACTS]:
        if fact.kind == "reading" and len(text := str(fact.attributes.get("text") or "")) > READING_CHARS:
            fact = Fact(
                fact.kind,
                fact.entity,
                fact.attributes | {"text": clip(text, READING_CHARS)},
                fact.source,
                fact.at,
                fact.line,
                fact.quote,
            )
        yield fact, place


def _edges(observations: tuple[Observation, ...]) -> Iterator[Edge]:
    for seen in observations:
        if seen.tool == "topology_edges" and seen.data:
            topology = _result(seen, Topology)
            yield from topology.edges


def _changes(changed: list[tuple[str, Changes]]) -> Iterator[Change]:
    for _, found in changed:
        yield from found.changes


def _gaps(observations: tuple[Observation, ...]) -> Iterator[Gap]:
    """Calls that gave nothing readable, and files that could not be read; each problem once."""
    told: set[str] = set()
    for seen in observations:
        if seen.status not in ("ok", "no_data"):
            yield Gap(seen.tool, seen.error or seen.status)
        problems = (seen.data or {}).get("searched", {}).get("problems", ()) if isinstance(seen.data, dict) else ()
        for problem in problems:
            if problem not in told:
                told.add(problem)
                name, _, why = str(problem).partition(": ")
                yield Gap(name, why or "could not be read")


def _conclusion(findings: list[Finding], read: list[tuple[str, Facts]]) -> str:
    """What is worst, in words; or that all that was seen is as it should be."""
    bad = [f for f in findings if f.severity in (Severity.ERROR, Severity.CRITICAL)]
    bad = bad or [f for f in findings if f.severity is Severity.WARNING]
    worst = sorted(bad, key=lambda f: -f.weight)
    seen = {
        fact.entity
        for _, found in read
        for fact in found.facts
        if fact.kind in ("container", "pod", "workload", "node")
    }
    if worst:
        named = list(dict.fromkeys(f.statement for f in worst))
        more = f" And {len(named) - MOST_NAMED} more." if len(named) > MOST_NAMED else ""
        return clip("; ".join(line.rstrip(".") for line in named[:MOST_NAMED]) + "." + more, 600)
    if seen:
        return f"{len(seen)} things that run were inspected; none is stopped, restarting, unhealthy or not ready."
    return "No state of containers, pods or hosts was recorded that shows a fault."
