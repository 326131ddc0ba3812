"""How sure the best hypothesis is: a logistic model over a few features, fitted on recorded incidents.

`bench/confidence.py` fits WEIGHTS leaving out one set of incidents at a time, and prints the reliability curve.
"""

import math
from dataclasses import dataclass
from typing import Final

from analysis.case import Case
from analysis.last_words import SIGNATURE, STATED_SIGNATURE
from analysis.measured.fusion import STRENGTH
from domain.diagnosis import Hypothesis
from domain.fault import covers

# Below it the verdict is undetermined: of what would be told with less, one in eight is right (docs/accuracy.md).
BAR: Final = 0.15
COMMON: Final = 0.05  # share of all faults that lead to one that is often only a step on the way


@dataclass(frozen=True)
class Features:
    """What tells a right answer from a wrong one, each 0..1."""

    evidence: float  # noisy-or of its signatures
    known: float  # a signature of a runbook fired
    first: float  # how few known faults lead to one like it: a full disk has a cause of its own, a wrong password none
    rest: float  # the strongest of what else was found and does not follow from it
    against: float  # contradictions
    measured: float  # it was found by series and traces, which need no runbook to know the kind


# Fitted by bench/confidence.py on incidents that nobody tuned for, on measured ones with evidence taken away, and on
# real faults of the lab.
# Contradicted hypotheses come first too seldom to be fitted: a whole one takes two off.
WEIGHTS: Final = Features(1.72, 1.26, 1.23, -1.62, -2.0, 1.69)
BIAS: Final = -2.59


def features(case: Case, ranked: tuple[Hypothesis, ...]) -> Features:
    """The features of the best hypothesis."""
    top = ranked[0]
    return Features(
        evidence=top.terms.get("evidence", 0.0),
        known=_known(top),
        first=COMMON / (COMMON + _leading_to(case, top.fault)),
        rest=_unexplained(top, ranked[1:]),
        against=min(1.0, -top.terms.get("against", 0.0) / 0.5),
        measured=float(_is_measured(top)),
    )


def _leading_to(case: Case, fault: str) -> float:
    """The share of the runbooks whose faults explain this one."""
    others = (each for each in case.knowledge if each.fault != fault)
    found = sum(any(covers(pattern, fault) for pattern in each.explains) for each in others)
    return found / max(1, len(case.knowledge))


def _unexplained(top: Hypothesis, others: tuple[Hypothesis, ...]) -> float:
    """The best evidence among those that do not follow from it; how many there are says little."""
    left = (each for each in others if not each.findings or each.findings[0].statement not in top.explains)
    return max((each.terms.get("evidence", 0.0) for each in left), default=0.0)


def _known(top: Hypothesis) -> float:
    """1 where a runbook's signature fired; of a measured suspect how clear its lead is."""
    if _is_measured(top):
        return max(0.0, min(1.0, top.terms.get("evidence", 0.0) / 0.9))
    told = [f.signature for f in top.findings if "/" in f.signature and not f.only_advised]
    own = {SIGNATURE, STATED_SIGNATURE}  # a program's own words are half a proof
    return 0.5 if told and set(told) <= own else float(bool(told))


def _is_measured(top: Hypothesis) -> bool:
    return any(STRENGTH in finding.captures for finding in top.findings)


def confidence(of: Features) -> float:
    """The probability, 0..1, that the hypothesis with these features is right."""
    z = BIAS + sum(getattr(WEIGHTS, name) * value for name, value in vars(of).items())
    return round(1.0 / (1.0 + math.exp(-z)), 3)
