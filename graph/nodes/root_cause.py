"""root_cause: where the bones meet. Deterministic: hypotheses from findings, a second retrieval, one verdict."""

from collections.abc import Iterable
from dataclasses import replace

from langgraph.runtime import Runtime

from agents.analyst import NAME as ANALYST
from alerts.entities import entities, machines
from analysis.candidates import candidates
from analysis.case import Case
from analysis.combined import combined
from analysis.hypotheses import hypotheses
from analysis.inventory import Inventory
from analysis.machines import called, learned
from analysis.measured.amplified import discount_inner_surges
from analysis.opinions import weighed
from analysis.verdict import decide
from domain.alert import Incident
from domain.codec import from_plain, to_plain
from domain.diagnosis import Hypothesis
from domain.evidence import PASSAGE, Citation, Evidence, Finding
from domain.plan import Look, Plan
from domain.results import Passage, Passages
from domain.runbook import Runbook
from graph.context import Work
from graph.nodes.agent import seconds_left
from graph.second_look import second_look
from graph.state import Investigation

NODE = "root_cause"
TOP_HYPOTHESES = 3
PASSAGE_WEIGHT = 0.15  # a passage alone says what to look for, not what happened: it must not outweigh any signature


async def root_cause(state: Investigation, runtime: Runtime[Work]) -> Investigation:
    """Rank what the findings speak for; retrieve by the best; rank again with what was found; decide, or ask for a
    second look first: one at most, of a model, since the analyst has looked at all that it can."""
    runtime.context.notice("stage", NODE)
    before = from_plain(Look, state["look"]) if "look" in state else None
    work, ledger = runtime.context, runtime.context.hub.ledger
    ledger.rewind(NODE, before.calls if before else 0)  # a lost worker may have been cut off in here
    incident = from_plain(Incident, state["incident"])
    case = assemble(incident, read(state["evidence"], work), work.knowledge)
    ranked = hypotheses(case, candidates(case))
    passages, found = await _retrieve(case, ranked, runtime.context)
    if found:
        case = replace(case, findings=(*case.findings, *found), passages=passages)
        ranked = hypotheses(case, candidates(case))
    diagnosis = decide(case, ranked)
    again = before is None and state["by"] != ANALYST and seconds_left(work) > 0
    plan = from_plain(Plan, state["plan"])
    tasks = second_look(diagnosis, ranked, plan, work.knowledge, ledger.of_this_pass) if again else ()
    return {
        "diagnosis": to_plain(diagnosis),
        "passages": [to_plain(passage) for passage in passages],
        "look": to_plain(Look(tasks, ledger.made(NODE))),
    }


def read(evidence: Iterable[object], work: Work) -> tuple[Evidence, ...]:
    """The evidence in the order of the agents, whatever order it came in."""
    order = {name: at for at, name in enumerate(work.agents)}
    found = [from_plain(Evidence, each) for each in evidence]
    return tuple(sorted(found, key=lambda e: (order.get(e.agent, len(order)), e.by != "analyst", e.by)))


def assemble(incident: Incident, evidence: tuple[Evidence, ...], knowledge: tuple[Runbook, ...]) -> Case:
    """Everything that was found, put side by side."""
    facts = tuple(fact for each in evidence for fact in each.facts)
    edges = tuple(dict.fromkeys(edge for each in evidence for edge in each.edges))
    seen = learned(incident.seen, facts)
    about = tuple(tuple(called(entity, seen) for entity in entities(alert)) for alert in incident.alerts)
    changes = {change.id: change for each in evidence for change in each.changes}
    case = Case(
        incident=replace(incident, seen=seen),
        alerted=tuple(dict.fromkeys(entity for named in about for entity in named)),
        findings=tuple(finding for each in evidence for finding in weighed(each)),
        facts=facts,
        changes=tuple(changes.values()),
        inventory=Inventory.build(facts, edges, machines=seen),
        knowledge=knowledge,
        edges=edges,
        passages=tuple(passage for each in evidence for passage in each.passages),
        gaps=tuple(gap for each in evidence for gap in each.gaps),
        coverage=tuple(row for each in evidence for row in each.coverage),
        about=about,
        on=tuple(tuple(machines(alert)) for alert in incident.alerts),
        places=tuple(place for each in evidence for place in _places(each)),
    )
    return discount_inner_surges(combined(case))


def _places(evidence: Evidence) -> tuple[str, ...]:
    """Where each fact stands, "" for those of which that is not told."""
    return (evidence.places + ("",) * len(evidence.facts))[: len(evidence.facts)]


async def _retrieve(
    case: Case, ranked: tuple[Hypothesis, ...], work: Work
) -> tuple[tuple[Passage, ...], tuple[Finding, ...]]:
    """Ask the runbooks again, with the top hypotheses and their key findings."""
    top = ranked[:TOP_HYPOTHESES]
    told = " ".join([h.summary for h in top] + [h.findings[0].statement for h in top if h.findings])
    asked = {"query": (told or case.incident.title)[:1000], "faults": [h.fault for h in top], "top": 5}
    caller = replace(work.caller, agent=NODE)
    result = await work.hub.call(caller, "runbooks_search", asked)
    if result.status not in ("ok", "no_data") or not result.data:
        return case.passages, ()
    passages = from_plain(Passages, result.data)
    known = {finding.kind for finding in case.findings}
    about = case.alerted[0] if case.alerted else "service:unknown"
    added = {
        p.fault: _hint(p, about, Citation(result.call_id, "runbooks", path=f"/passages/{at}/runbook", value=p.runbook))
        for at, p in reversed(list(enumerate(passages.passages)))
        if passages.fits and p.fault and p.fault not in known
    }
    return (*case.passages, *passages.passages), tuple(added.values())


def _hint(passage: Passage, about: str, citation: Citation) -> Finding:
    said = f"The runbook {passage.runbook} describes what was found ({passage.heading})."
    return Finding(about, passage.fault, said, (citation,), weight=PASSAGE_WEIGHT, signature=passage.runbook + PASSAGE)
