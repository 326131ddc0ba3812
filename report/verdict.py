"""Holds a diagnosis to the rules of its verdict, so that no report contradicts itself."""

from dataclasses import replace
from typing import Final

from domain.diagnosis import Diagnosis, Hypothesis, Link, Verdict
from domain.fault import is_none

NEXT_CHECK: Final = "Look at what the alert is about by hand: its state, its last log lines, and what changed before."


def settled(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis with a verdict that its content bears; what it does not bear is undetermined, with the reason."""
    why = _contradiction(diagnosis)
    return undetermined(diagnosis, why) if why else replace(diagnosis, confidence=share(diagnosis.confidence))


def undetermined(diagnosis: Diagnosis, why: str) -> Diagnosis:
    """The same hypotheses without the claim that one of them is the cause."""
    return replace(
        diagnosis,
        verdict=Verdict.UNDETERMINED,
        healthy=None,
        confidence=share(diagnosis.confidence),
        next_check=diagnosis.next_check.strip() or NEXT_CHECK,
        why=why or diagnosis.why,
    )


def share(confidence: float) -> float:
    """A confidence as it is told: within 0..1, two places; what is no number is no confidence."""
    return round(min(1.0, max(0.0, confidence)), 2) if confidence == confidence else 0.0


def root(diagnosis: Diagnosis) -> Hypothesis | None:
    """The root cause, or under `healthy` what was found instead of one; None when undetermined."""
    if diagnosis.verdict is Verdict.ROOT_CAUSE:
        return diagnosis.hypotheses[0]
    if diagnosis.verdict is Verdict.HEALTHY and diagnosis.healthy:
        return _as_hypothesis(diagnosis.healthy, diagnosis.confidence)
    return None


def ranked(diagnosis: Diagnosis) -> tuple[Hypothesis, ...]:
    """The hypotheses, the root cause first when there is one."""
    first = root(diagnosis)
    if first is None or diagnosis.verdict is Verdict.ROOT_CAUSE:
        return diagnosis.hypotheses
    return (first, *(h for h in diagnosis.hypotheses if (h.entity, h.fault) != (first.entity, first.fault)))


def _as_hypothesis(link: Link, confidence: float) -> Hypothesis:
    return Hypothesis(link.entity, link.fault, link.statement, score=confidence, chain=(link,))


def _contradiction(diagnosis: Diagnosis) -> str:
    """What stands between the verdict and the rest; empty when nothing does."""
    if diagnosis.verdict is Verdict.ROOT_CAUSE:
        if not diagnosis.hypotheses:
            return "No hypothesis was left that could be the root cause."
        return "The best hypothesis says that nothing is wrong." if is_none(diagnosis.hypotheses[0].fault) else ""
    if diagnosis.verdict is Verdict.HEALTHY:
        good = diagnosis.healthy is not None and is_none(diagnosis.healthy.fault)
        return "" if good else "Nothing proves that all is well."
    return "" if diagnosis.next_check.strip() else diagnosis.why or "No check was named that would decide."
