"""How sure a diagnosis may be once a model has looked: no surer of a cause than without it."""

from analysis.accounts import Accounts
from analysis.candidates import candidates
from analysis.case import Case
from analysis.confidence import confidence, features
from analysis.hypotheses import hypotheses
from analysis.opinions import SUREST, told_by_model, without_model
from domain.diagnosis import Hypothesis


def ceiling(case: Case, top: Hypothesis) -> float:
    """The highest confidence that the evidence supports: what the analyst's own findings give this very hypothesis,
    or SUREST where only a model makes it a cause; 1 where no model told anything."""
    if not any(map(told_by_model, case.findings)):
        return 1.0
    if all(map(told_by_model, top.findings)):
        return SUREST
    alone = without_model(case)
    ranked = Accounts(alone).ordered(hypotheses(alone, candidates(alone)))
    likely = [h for h in ranked if h.linked]  # what is barred from being the cause is no rival either
    same = next((h for h in likely if (h.entity, h.fault) == (top.entity, top.fault)), None)
    if same is None:
        return SUREST
    return confidence(features(alone, (same, *(h for h in likely if h is not same))))
