"""When nothing is wrong: what the alert is about was checked and is well, and nothing speaks for a fault."""

from dataclasses import dataclass
from typing import Final

from analysis.case import Case
from analysis.ended_events import end_of
from analysis.opinions import told_by_model
from analysis.symptom import Symptom, symptom_of
from domain.diagnosis import Hypothesis, Link
from domain.evidence import Finding

WELL, RECOVERED, STEADY = "state.well", "state.recovered", "metric.steady"  # kinds of findings that something is well
# What can show that a symptom is none. Callers' errors or slowness are not disproved by a running process.
GROUNDS: Final = {
    Symptom.STATE: (WELL, RECOVERED),
    Symptom.CHECK: (WELL, RECOVERED, STEADY),
    Symptom.RESOURCE: (STEADY,),
    Symptom.SERVICE: (),
}
FAULT_STRENGTH: Final = 0.5  # a hypothesis this strong rules health out wherever it is
NEAR_STRENGTH: Final = 0.25  # and one this strong when it is about what the alert is about
SUREST: Final = 0.92  # an all-clear is never surer: what was not recorded may be ill


@dataclass(frozen=True)
class Health:
    """Whether the incident is none, and why."""

    link: Link | None
    confidence: float = 0.0
    why: str = ""


def health(case: Case, ranked: tuple[Hypothesis, ...]) -> Health:
    """Healthy needs grounds that fit the symptom, about the alerted things, and no fault with real evidence."""
    symptoms = {symptom_of(alert) for alert in case.incident.alerts} or {Symptom.SERVICE}
    kinds = set.intersection(*(set(GROUNDS[symptom]) for symptom in symptoms))
    asked = symptoms == {Symptom.SERVICE} and all(a.severity in ("info", "warning") for a in case.incident.alerts)
    well = [
        f
        for f in case.findings
        if (f.kind in kinds or (asked and _callers_are_well(f))) and case.near_alert(f.entity) >= 0.5
    ]
    past = {id(each): end for each in ranked if (end := end_of(case, each))} if well else {}
    open_still = [each for each in ranked if id(each) not in past]
    if not well or any(_stands(case, hypothesis) for hypothesis in open_still):
        return Health(None)
    best = max(well, key=lambda f: (f.kind == RECOVERED, case.near_alert(f.entity), f.weight))
    ended = [f"{end.entity}: {end.attributes.get('message')}" for end in past.values()]
    said = "; ".join(dict.fromkeys([*ended, *(f.statement for f in [best, *well][:4])]))
    link = Link(best.entity, _fault(best, symptoms, bool(past)), said, tuple(c for f in well[:6] for c in f.citations))
    doubt = max((h.terms.get("evidence", 0.0) for h in open_still), default=0.0)
    return Health(link, round(SUREST - doubt, 3), f"Checked and well: {said}")


def _callers_are_well(finding: Finding) -> bool:
    """Whether it shows that what callers feel did not change: that answers a question, though no critical alert."""
    return finding.kind == STEADY and {"error", "latency"} <= set(finding.captures.get("kinds", "").split())


def _fault(best: Finding, symptoms: set[Symptom], past: bool) -> str:
    if best.kind == RECOVERED or past:
        return "none.recovered"
    return "none.false_alarm" if symptoms <= {Symptom.RESOURCE, Symptom.SERVICE} else "none.healthy"


def _stands(case: Case, hypothesis: Hypothesis) -> bool:
    """Whether the hypothesis is strong enough, and near enough, to mean a real fault; what only a model says makes the
    all-clear less sure, and no more."""
    if hypothesis.findings and all(map(told_by_model, hypothesis.findings)):
        return False
    strength = hypothesis.terms.get("evidence", 0.0)
    return strength >= FAULT_STRENGTH or (strength >= NEAR_STRENGTH and case.near_alert(hypothesis.entity) >= 0.8)
