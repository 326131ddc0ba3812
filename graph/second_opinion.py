"""What the model alone would say, held against what the offline analyst said in the first pass."""

from collections.abc import Callable
from dataclasses import replace

from agents.analyst import NAME as ANALYST
from analysis.candidates import candidates
from analysis.case import Case
from analysis.hypotheses import hypotheses
from analysis.opinions import BY_SEVERITY, only_model, unmatched
from analysis.verdict import decide
from domain.diagnosis import Diagnosis, Verdict
from domain.evidence import Evidence, Finding, Severity
from domain.report import Comparison, Opinion

Evidences = tuple[Evidence, ...]


def comparison(first: Diagnosis, case: Case, told: Evidences, proven: Evidences, by: str) -> Comparison:
    """Of what was told and what of it a stored result bears: only the latter counts as found."""
    analysts, models = _findings(proven, lambda e: e.by != by), _findings(proven, lambda e: e.by == by)
    only_analyst, only_model = unmatched(analysts, models, case), unmatched(models, analysts, case)
    unsupported = len(_findings(told, lambda e: e.by == by)) - len(models)
    analyst = _opinion(ANALYST, first, len(analysts))
    model = replace(_opinion(by, model_alone(case), len(models)), unsupported=unsupported)
    return Comparison(
        analyst, model, agreement(analyst, model, case), len(models) - len(only_model), _told(only_analyst),
        _told(only_model),
    )  # fmt: skip


def model_alone(case: Case) -> Diagnosis:
    """The diagnosis as if nobody but the model had looked. What it tells as an error is its answer: the bar below which
    nothing is told is made for findings that code has tested."""
    alone = only_model(case)
    diagnosis = decide(alone, hypotheses(alone, candidates(alone)))
    top = diagnosis.hypotheses[:1]
    named = any(f.weight >= BY_SEVERITY[Severity.ERROR] for h in top for f in h.findings)
    return replace(diagnosis, verdict=Verdict.ROOT_CAUSE) if named and not diagnosis.healthy else diagnosis


def agreement(analyst: Opinion, model: Opinion, case: Case) -> str:
    """How far the two go together: in the cause, in the thing, in another verdict; `open` where the model names no
    cause; else not."""
    cause = Verdict.ROOT_CAUSE.value
    if analyst.verdict == model.verdict == cause:
        if not case.inventory.same(analyst.entity, model.entity):
            return "none"
        return "cause" if analyst.fault == model.fault else "entity"
    if analyst.verdict == model.verdict:
        return "verdict"
    return "open" if model.verdict == Verdict.UNDETERMINED.value else "none"


def _opinion(by: str, diagnosis: Diagnosis, findings: int) -> Opinion:
    named = diagnosis.healthy or (diagnosis.hypotheses[0] if diagnosis.hypotheses else None)
    return Opinion(
        by, diagnosis.verdict.value, named.entity if named else "", named.fault if named else "",
        diagnosis.confidence if named else 0.0, findings,
    )  # fmt: skip


def _findings(evidence: Evidences, of: Callable[[Evidence], bool]) -> tuple[Finding, ...]:
    return tuple(finding for each in evidence if of(each) for finding in each.findings)


def _told(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    ordered = sorted(findings, key=lambda f: (-f.weight, f.entity, f.statement))
    return tuple(dict.fromkeys(f"{f.entity}: {f.statement}" for f in ordered))
