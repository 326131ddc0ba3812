"""From ranked hypotheses to one of three answers, with how sure it is and what would decide."""

from dataclasses import replace
from typing import Final

from analysis.accounts import MOST_HYPOTHESES, Accounts
from analysis.case import Case
from analysis.ceiling import ceiling
from analysis.confidence import BAR, confidence, features
from analysis.health import Health, health
from analysis.next_check import next_check
from domain.diagnosis import Diagnosis, Hypothesis, Verdict

ONLY_NEAR: Final = "change.near"
RULED_OUT_BELOW: Final = 0.5  # of the best score: evidence this much weaker is told so, else it came close


def decide(case: Case, ranked: tuple[Hypothesis, ...]) -> Diagnosis:
    """The verdict: healthy where what was checked is well, a root cause above the bar, else undetermined."""
    accounts = Accounts(case)
    ranked = accounts.ordered(ranked)
    likely = tuple(hypothesis for hypothesis in ranked if hypothesis.linked)
    if likely and likely[0].fault == ONLY_NEAR:
        likely = ()  # that something was changed shortly before is no reason by itself
    sure = min(confidence(features(case, likely)), ceiling(case, likely[0])) if likely else 0.0
    well = health(case, ranked)
    if well.link is not None and not accounts.all_unseen():
        return _healthy(case, ranked, well)
    if not likely or sure < BAR:
        return _undetermined(case, ranked, sure, accounts)
    ranked = accounts.seconds(ranked)
    return Diagnosis(
        Verdict.ROOT_CAUSE, ranked[:MOST_HYPOTHESES], sure, next_check=next_check(case, ranked),
        ruled_out=_ruled_out(ranked), alerts=accounts.of(ranked), why=_why(ranked[0], ranked), unseen=accounts.unseen(),
    )  # fmt: skip


def _healthy(case: Case, ranked: tuple[Hypothesis, ...], well: Health) -> Diagnosis:
    accounts = Accounts(case).well(well.why)
    return Diagnosis(
        Verdict.HEALTHY, tuple(replace(h, chain=()) for h in ranked[:3]), well.confidence, healthy=well.link,
        alerts=accounts, why=well.why,
    )  # fmt: skip


def _undetermined(case: Case, ranked: tuple[Hypothesis, ...], sure: float, accounts: Accounts) -> Diagnosis:
    return Diagnosis(
        Verdict.UNDETERMINED, ranked[:MOST_HYPOTHESES], sure,
        next_check=accounts.connect() or next_check(case, ranked), alerts=accounts.none(),
        why=_why_open(ranked, sure, accounts), unseen=accounts.unseen(),
    )  # fmt: skip


def _why_open(ranked: tuple[Hypothesis, ...], sure: float, accounts: Accounts) -> str:
    if not ranked:
        return "Nothing that was searched speaks for any cause."
    best = f"{ranked[0].fault} of {ranked[0].entity}"
    if ranked[0].linked:
        return f"The best hypothesis, {best}, stays at {sure:.0%}: below the bar of {BAR:.0%}."
    unseen = f"No source looks at {', '.join(accounts.unseen()[:3])}. " if accounts.unseen() else ""
    return f"{unseen}What was found first of all, {best}, is not the cause: {ranked[0].contradicts[-1]}."


def _ruled_out(ranked: tuple[Hypothesis, ...]) -> tuple[str, ...]:
    """The hypotheses that were considered and lost, each with its reason."""
    best = ranked[0].score
    return tuple(f"{h.fault} of {h.entity}: {_reason(h, best)}" for h in ranked[1:MOST_HYPOTHESES])


def _reason(hypothesis: Hypothesis, best: float) -> str:
    if hypothesis.contradicts:
        return f"contradicted: {hypothesis.contradicts[0]}"
    if hypothesis.terms.get("symptom", 0.0) < 0:
        return "a symptom: something above explains it"
    return "weaker evidence" if hypothesis.score < RULED_OUT_BELOW * best else "close behind, but it accounts for less"


def _why(top: Hypothesis, ranked: tuple[Hypothesis, ...]) -> str:
    rests = _many(len(top.findings), "finding speaks for it", "findings speak for it")
    follows = (
        f"; it explains {_many(len(top.explains), 'other observation', 'other observations')}" if top.explains else ""
    )
    second = f" Second: {ranked[1].fault} of {ranked[1].entity}." if len(ranked) > 1 else " Nothing else comes near."
    return f"{rests}{follows}.{second}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
