"""report: actions from the passages found, every citation checked, one typed artifact."""

import shlex
from collections.abc import Iterable
from dataclasses import replace

from langgraph.runtime import Runtime

from analysis.lines.timestamps import format_time
from analysis.wording import fill
from domain.alert import Incident
from domain.codec import from_plain, to_plain
from domain.diagnosis import Action, Diagnosis, Hypothesis, Verdict
from domain.evidence import Citation, Evidence, Gap
from domain.report import Report, Run
from domain.results import Passage
from domain.runbook import Remedy, Runbook
from domain.tool import ToolResult
from graph.context import Work
from graph.nodes.charts import fetch_charts
from graph.nodes.root_cause import assemble, read
from graph.second_opinion import comparison
from graph.state import Investigation
from report.check import check
from report.series import series_of

MOST_UNSEEN = 5  # are named
READ_ONLY_FIRST = {"read": 0, "low": 1, "medium": 2, "high": 3}


async def report(state: Investigation, runtime: Runtime[Work]) -> Investigation:
    """The report, checked. Its calls stay in the ledger: the caller joins them again for rendering."""
    work = runtime.context
    work.notice("stage", "report")
    evidence, diagnosis = read(state["evidence"], work), from_plain(Diagnosis, state["diagnosis"])
    await fetch_charts(diagnosis, evidence, work)
    calls = tuple(entry.result for entry in work.hub.ledger.entries())
    draft = compose(state, evidence, diagnosis, calls, work)
    checked = compared(check(draft), draft, state, work)
    return {"report": to_plain(without_calls(checked))}


def compose(
    state: Investigation,
    evidence: tuple[Evidence, ...],
    diagnosis: Diagnosis,
    calls: tuple[ToolResult, ...],
    work: Work,
) -> Report:
    """All that the report says, before its citations are checked."""
    incident = from_plain(Incident, state["incident"])
    passages = [from_plain(Passage, each) for each in state["passages"]]
    return Report(
        incident=incident,
        diagnosis=diagnosis,
        evidence=evidence,
        coverage=tuple(result.coverage for result in calls if result.coverage),
        gaps=(*_unseen(incident, diagnosis), *_gaps(incident, evidence, passages, calls)),
        actions=tuple(_actions(diagnosis, passages, work.knowledge, calls)),
        passages=tuple(dict.fromkeys(p.runbook for p in passages)),
        charts=series_of(calls),
        calls=calls,
        run=_run(tuple(dict.fromkeys((*(each.by for each in evidence), state["by"]))), work, len(calls)),
    )


def compared(checked: Report, draft: Report, state: Investigation, work: Work) -> Report:
    """With where the model and the analyst agree and differ, where both have looked."""
    if "first" not in state:
        return checked
    case = assemble(checked.incident, checked.evidence, work.knowledge)
    first = from_plain(Diagnosis, state["first"])
    return replace(checked, comparison=comparison(first, case, draft.evidence, checked.evidence, state["by"]))


def _run(by: tuple[str, ...], work: Work, calls: int) -> Run:
    tokens, cost = work.spent()
    return Run(
        investigation=work.investigation,
        started_at=format_time(work.started_at),
        seconds=round((work.clock() - work.started_at).total_seconds(), 3),
        models=by,
        contract=work.contract,
        fingerprint=work.fingerprint,
        tokens=tokens,
        cost=cost,
        tool_calls=calls,
    )


def without_calls(report: Report) -> Report:
    """The report as state keeps it: small, since the results are stored by hash."""
    return replace(report, calls=())


def _unseen(incident: Incident, diagnosis: Diagnosis) -> Iterable[Gap]:
    """What alerts are about and nothing looked at."""
    if diagnosis.unseen:
        more = f" and {len(diagnosis.unseen) - MOST_UNSEEN} more" if len(diagnosis.unseen) > MOST_UNSEEN else ""
        names = ", ".join(diagnosis.unseen[:MOST_UNSEEN])
        yield Gap("the alert", f"it names {names}{more}, of which nothing was looked at; what is told is of "
                  f"{', '.join(machine[0] for machine in incident.seen)}")  # fmt: skip


def _gaps(
    incident: Incident, evidence: tuple[Evidence, ...], passages: list[Passage], calls: tuple[ToolResult, ...]
) -> tuple[Gap, ...]:
    agents = {each.agent for each in evidence}
    told = [_given(gap) for gap in incident.gaps]
    told += [
        Gap(f"{call.tool} of {by}", call.error)
        for call in calls
        if call.error and (by := call.call_id.rpartition(".")[0]) not in agents  # agents tell their own
    ]
    told += [gap for each in evidence for gap in each.gaps]
    told += [] if passages else [Gap("runbooks", "no runbook fits, or none is indexed", "by alert and by hypotheses")]
    return tuple(dict.fromkeys(told))


def _given(gap: str) -> Gap:
    """A gap that came with the incident: `file: why`, or something odd about the alert."""
    what, colon, why = gap.partition(": ")
    return Gap(what, why) if colon else Gap("the alert", gap)


def _actions(
    diagnosis: Diagnosis, passages: list[Passage], knowledge: tuple[Runbook, ...], calls: tuple[ToolResult, ...]
) -> Iterable[Action]:
    """What the runbook of the cause proposes, read-only first; only of runbooks that retrieval found."""
    top = next((each for each in diagnosis.hypotheses[:1] if each.linked), None)
    if diagnosis.verdict is Verdict.HEALTHY or top is None:
        return
    found = {p.runbook for p in passages}
    runbook = next((r for r in knowledge if r.fault == top.fault and r.name in found), None)
    if runbook is None:
        return
    cited = _cited(runbook.name, calls)
    steps = (("now", runbook.now), ("next", runbook.next), ("prevention", runbook.prevention))
    for when, remedies in steps:
        for remedy in sorted(remedies, key=lambda r: READ_ONLY_FIRST.get(r.risk, 2)):
            yield _action(when, remedy, top, runbook.name, cited)


def _action(when: str, remedy: Remedy, top: Hypothesis, runbook: str, cited: tuple[Citation, ...]) -> Action:
    text = fill(remedy.text, top.entity, top.captures)
    command = fill(remedy.command, top.entity, top.captures, shlex.quote)
    return Action(when, text, command, remedy.risk, runbook, cited)


def _cited(runbook: str, calls: tuple[ToolResult, ...]) -> tuple[Citation, ...]:
    """The place in a search's result where the runbook was found."""
    for call in calls:
        if call.tool == "runbooks_search" and isinstance(call.data, dict):
            for at, passage in enumerate(call.data.get("passages", [])):
                if passage["runbook"] == runbook:
                    return (Citation(call.call_id, "runbooks", path=f"/passages/{at}/runbook", value=runbook),)
    return ()
