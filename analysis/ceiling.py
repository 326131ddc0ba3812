"""How sure a diagnosis may be once a model has looked: no surer of a cause than without it."""

from analysis.candidates import candidates
from analysis.case import Case
from analysis.confidence import confidence, features
from analysis.hypotheses import hypotheses
from analysis.opinions import SUREST, told_by_model, without_model
from domain.diagnosis import Hypothesis


def ceiling(case: Case, top: Hypothesis) -> float:
    """The highest confidence that the evidence supports: what the analyst's own findings give this very hypothesis,
    or SUREST where only a model names it; 1 where no model told anything."""
    if not any(map(told_by_model, case.findings)):
        return 1.0
    if all(map(told_by_model, top.findings)):
        return SUREST
    alone = without_model(case)
    ranked = hypotheses(alone, candidates(alone))
    same = next((h for h in ranked if (h.entity, h.fault) == (top.entity, top.fault)), None)
    if same is None:
        return SUREST
    return confidence(features(alone, (same, *(h for h in ranked if h is not same))))
