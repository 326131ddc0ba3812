"""How sure the best hypothesis is: a logistic model over a few features, fitted on recorded incidents.

`bench/confidence.py` fits WEIGHTS leaving out one set of incidents at a time, and prints the reliability curve.
"""

import math
from dataclasses import dataclass
from typing import Final

from analysis.case import Case
from analysis.fusion import STRENGTH
from analysis.last_words import SIGNATURE, STATED_SIGNATURE
from domain.diagnosis import Hypothesis

# Below it the verdict is undetermined: of what would be told with less, two in a hundred are right (docs/accuracy.md).
BAR: Final = 0.25


@dataclass(frozen=True)
class Features:
    """What tells a right answer from a wrong one, each 0..1."""

    evidence: float  # noisy-or of its signatures
    margin: float  # distance to the next hypothesis that is not its own symptom
    known: float  # a signature of a runbook fired
    alert: float  # nearness to what the alert is about
    agreement: float  # independent sources beyond the first
    explains: float  # how much of the rest follows from it
    against: float  # contradictions


# Fitted where evidence was taken away (bench/ablate.py): whole recordings come out right nearly always and teach
# nothing about being wrong. Being what alerts speaks against a cause a little: where the cause is out of sight, what is
# left is the one who complains. Contradicted hypotheses come first too seldom to be fitted: a whole one takes two off.
WEIGHTS: Final = Features(2.24, 2.30, 1.71, -1.31, 0.09, 0.81, -2.0)
BIAS: Final = -2.84


def features(case: Case, ranked: tuple[Hypothesis, ...]) -> Features:
    """The features of the best hypothesis."""
    top = ranked[0]
    rival = next((h.score for h in ranked[1:] if h.terms.get("symptom", 0.0) > -0.2), 0.0)
    return Features(
        evidence=top.terms.get("evidence", 0.0),
        margin=max(0.0, min(1.0, (top.score - rival) / 0.5)),
        known=_known(top),
        alert=case.near_alert(top.entity),
        agreement=min(1.0, top.terms.get("agreement", 0.0) / 0.12),
        explains=min(1.0, top.terms.get("explains", 0.0) / 0.35),
        against=min(1.0, -top.terms.get("against", 0.0) / 0.5),
    )


def _known(top: Hypothesis) -> float:
    """1 where a runbook's signature fired; of a measured suspect how clear its lead is."""
    if any(STRENGTH in finding.captures for finding in top.findings):
        return max(0.0, min(1.0, top.terms.get("evidence", 0.0) / 0.9))
    told = [f.signature for f in top.findings if "/" in f.signature and not f.only_advised]
    own = {SIGNATURE, STATED_SIGNATURE}  # a program's own words are half a proof
    return 0.5 if told and set(told) <= own else float(bool(told))


def confidence(of: Features) -> float:
    """The probability, 0..1, that the hypothesis with these features is right."""
    z = BIAS + sum(getattr(WEIGHTS, name) * value for name, value in vars(of).items())
    return round(1.0 / (1.0 + math.exp(-z)), 3)
