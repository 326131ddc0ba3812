"""What a model's findings may do to a diagnosis, and where model and offline analyst agree and differ.

A model says what a cited line or value means; nobody has tested that it does. So its findings may add a hypothesis or
name a rival, but what the analyst found is never made surer by a model that repeats it.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from analysis.case import Case
from domain.evidence import Citation, Evidence, Finding, Severity

MODEL: Final = "model"  # signature of a finding that a model told: all of them together count as one witness
HEAVIEST: Final = 0.45  # below FAULT_STRENGTH of health, and below what any signature of a runbook weighs
ADVICE: Final = 0.1  # of what rests on a runbook alone: it says what to look for, not what happened
ADVISERS: Final = ("runbook",)  # agents that read runbooks
SUREST: Final = 0.5  # of a cause that only a model names
BY_SEVERITY: Final = {Severity.CRITICAL: 0.9, Severity.ERROR: 0.7, Severity.WARNING: 0.45, Severity.INFO: 0.2}
CLEARING: Final = ("state.well", "state.recovered", "metric.steady")  # an all-clear takes a check by code


def told_by_model(finding: Finding) -> bool:
    """Whether a model told it."""
    return finding.signature == MODEL


def weighed(evidence: Evidence, analyst: str = "analyst") -> tuple[Finding, ...]:
    """The findings of one agent as the case takes them: of a model without what only our own code may claim."""
    if evidence.by == analyst:
        return evidence.findings
    most = ADVICE if evidence.agent in ADVISERS else HEAVIEST
    marked = (
        replace(f, signature=MODEL, weight=min(f.weight, most), captures={}, score=0.0) for f in evidence.findings
    )
    return tuple(f for f in marked if f.citations and f.kind not in CLEARING)


def own(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Those that the analyst told; all of them where it told none."""
    return tuple(f for f in findings if not told_by_model(f)) or findings


def without_model(case: Case) -> Case:
    """The same case as if no model had looked."""
    return replace(case, findings=tuple(f for f in case.findings if not told_by_model(f)))


def only_model(case: Case) -> Case:
    """The same case with what the model found in the place of what the analyst found, weighed as the model tells it: by
    severity."""
    theirs = (f for f in case.findings if told_by_model(f))
    return replace(case, findings=tuple(f if f.weight <= ADVICE else _by_severity(f) for f in theirs), passages=())


def _by_severity(finding: Finding) -> Finding:
    return replace(finding, weight=BY_SEVERITY[finding.severity])


def unmatched(these: Iterable[Finding], those: Iterable[Finding], case: Case) -> tuple[Finding, ...]:
    """Those of these findings of which the others say nothing alike."""
    others = tuple(those)
    return tuple(f for f in these if not any(alike(f, other, case) for other in others))


def alike(one: Finding, other: Finding, case: Case) -> bool:
    """Whether two findings say the same: the same kind of the same thing, or on the strength of the same place."""
    a, b = one.entity, other.entity
    same = a == b or case.inventory.same(a, b)
    return (same and one.kind == other.kind) or bool(_places(one) & _places(other))


def _places(finding: Finding) -> frozenset[tuple[str, object]]:
    return frozenset(place for citation in finding.citations for place in _place(citation))


def _place(citation: Citation) -> Iterable[tuple[str, object]]:
    """Where it points, whichever call it was that showed it."""
    if citation.source and citation.line is not None:
        yield citation.source, citation.line
    elif citation.quote is not None:
        yield citation.source, citation.quote
