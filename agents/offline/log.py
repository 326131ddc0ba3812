"""The log tactic: which known faults left a mark, what is new since the alert, and who fell silent."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from agents.offline import log_addresses, log_ports
from agents.offline.log_findings import (
    entity_of,
    of_searches,
    of_templates,
    short_captures,
    silent,
    silent_sources,
    sources_of,
)
from agents.offline.variants import of_logs
from agents.tactic import Call, Knowledge, Observation, ToolCalls
from analysis.signatures import text_findings, text_signatures
from domain.codec import from_plain
from domain.evidence import Evidence, Finding, Gap
from domain.plan import Task
from domain.results import Edge, Lines, SignatureHits, Templates, TextSource, TextSources
from domain.runbook import Runbook

AGENT = "log"
_MOST_GENERIC = 40
_TOP = 80  # templates asked for
_FOLLOWED = 4  # sources looked at again
T = TypeVar("T")
Seen = tuple[Observation, ...]


def step(task: Task, observations: Seen, knowledge: Knowledge) -> ToolCalls | Evidence:
    """Everything at once, then a closer look at what is silent or says nothing, then the conclusion."""
    if not observations:
        return _first_calls(task, knowledge)
    if not any(each.tool == "logs_search" for each in observations):
        calls = _follow_ups(task, observations)
        if calls:
            return ToolCalls(calls)
    return _evidence(task, observations, knowledge)


def _first_calls(task: Task, knowledge: Knowledge) -> ToolCalls:
    calls = [
        Call("logs_list"),
        Call("logs_novel", {"moment": task.fired_at, "top": _TOP}),
        Call("logs_templates", {"level": "warning", "top": _TOP}),
    ]
    if wanted := looked_for(knowledge):
        calls.insert(1, Call("logs_match", {"signatures": wanted}))
    return ToolCalls(tuple(calls))


def looked_for(knowledge: Iterable[Runbook]) -> list[dict[str, str]]:
    """All that one `logs_match` looks for: the signatures of the runbooks, and what connects things."""
    signatures = text_signatures(knowledge)
    return [*signatures, *log_addresses.questions(), *log_ports.questions()] if signatures else []


def _follow_ups(task: Task, seen: Seen) -> tuple[Call, ...]:
    """The last words of sources that fell silent, of the alerted ones that show no warning, and of short captures."""
    sources = _all_sources(seen)
    quiet = [source.name for source in silent_sources(task, sources)][:_FOLLOWED]
    telling = {hit.source for _, hits in _decoded(seen, "logs_match", SignatureHits) for hit in hits.hits}
    telling |= {each.source for _, found in _decoded(seen, "logs_templates", Templates) for each in found.templates}
    alerted = [source.name for source in sources_of(task, sources) if source.name not in telling]
    short = [source.name for source in short_captures(sources) if source.name not in telling]
    looked_at = dict.fromkeys(quiet + alerted[:_FOLLOWED] + short[:_FOLLOWED])
    return tuple(Call("logs_search", {"sources": [name], "tail_n": 10}) for name in looked_at)


def _evidence(task: Task, seen: Seen, knowledge: Knowledge) -> Evidence:
    known: list[Finding] = []
    edges: list[Edge] = []
    ports: list[Finding] = []
    for call_id, raw in _decoded(seen, "logs_match", SignatureHits):
        hits = _owned(task, raw)
        known.extend(text_findings(hits, call_id, knowledge))
        edges.extend(log_addresses.needed(hits))
        ports.extend(log_ports.opened(hits, call_id))
    cited = {(each.source, each.line) for finding in known for each in finding.citations}
    shapes = _decoded(seen, "logs_novel", Templates) + _decoded(seen, "logs_templates", Templates)
    known += of_logs(shapes[:1], _all_sources(seen))
    generic = of_templates(task, shapes, cited)
    searches = _decoded(seen, "logs_search", Lines)
    generic += of_searches(task, searches, cited | _lines_of(generic))
    gone = [
        finding
        for call_id, listed in _decoded(seen, "logs_list", TextSources)
        for finding in silent(task, listed, call_id, searches)
    ]
    shown = sorted(generic, key=lambda finding: -finding.weight)[:_MOST_GENERIC]
    return Evidence(
        agent=AGENT,
        by="analyst",
        conclusion=_conclusion(_all_sources(seen), known, shown, gone),
        findings=tuple(known + gone + shown + ports),
        gaps=_gaps(seen),
        edges=tuple(dict.fromkeys(edges)),
    )


def _owned(task: Task, hits: SignatureHits) -> SignatureHits:
    """The hits with whose text they stand in: a capture's hit is about what was captured, not about the file."""
    owned = (
        replace(hit, entity=entity_of(task, hit.source, hit.lines[0].text if hit.lines else "", hit.entity))
        for hit in hits.hits
    )
    return replace(hits, hits=tuple(owned))


def _conclusion(sources: list[TextSource], known: list[Finding], generic: list[Finding], gone: list[Finding]) -> str:
    if not sources:
        return "There is no text source to read."
    read = f"{len(sources)} text source{'s' if len(sources) > 1 else ''}"
    if known:
        worst = max(known, key=lambda finding: finding.weight)
        signs = f"{len(known)} known signs of faults stand" if len(known) > 1 else "1 known sign of a fault stands"
        return f"{signs} in {read}. The strongest: {worst.statement}"
    if generic:
        return f"No known sign of a fault stands in {read}. The most telling line: {generic[0].statement}"
    if gone:
        return f"No error stands in {read}, but {gone[0].statement}"
    return f"No known sign of a fault and no new or error line stands in {read}."


def _gaps(seen: Seen) -> tuple[Gap, ...]:
    """What was refused or broke, and what could not be read, each said once."""
    gaps = [Gap(each.tool, each.error or each.status, "the other log tools") for each in seen if each.data is None]
    problems = dict.fromkeys(
        problem
        for each in seen
        if isinstance(each.data, dict)
        for problem in (each.data.get("searched") or {}).get("problems") or ()
    )
    gaps += [Gap(what, why or what) for what, _, why in (problem.partition(": ") for problem in problems)]
    if any(each.tool == "logs_list" and each.data is not None for each in seen) and not _all_sources(seen):
        gaps.append(Gap("logs", "the incident has no text sources"))
    return tuple(gaps)


def _all_sources(seen: Seen) -> list[TextSource]:
    return [source for _, listed in _decoded(seen, "logs_list", TextSources) for source in listed.sources]


def _decoded(seen: Seen, tool: str, of: type[T]) -> list[tuple[str, T]]:
    """The results of a tool with the ids of their calls."""
    return [(each.call_id, from_plain(of, each.data)) for each in seen if each.tool == tool and each.data is not None]


def _lines_of(findings: list[Finding]) -> set[tuple[str, int | None]]:
    return {(each.source, each.line) for finding in findings for each in finding.citations}
