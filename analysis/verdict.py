"""From ranked hypotheses to one of three answers, with how sure it is and what would decide."""

from dataclasses import replace
from typing import Final

from analysis.case import Case
from analysis.ceiling import ceiling
from analysis.confidence import BAR, confidence, features
from analysis.health import Health, health
from analysis.wording import fill
from domain.diagnosis import AlertAccount, Diagnosis, Hypothesis, Verdict
from domain.runbook import Runbook

MOST_HYPOTHESES: Final = 8
RULED_OUT_BELOW: Final = 0.5  # of the best score: evidence this much weaker is told so, else it came close


def decide(case: Case, ranked: tuple[Hypothesis, ...]) -> Diagnosis:
    """The verdict: healthy where what was checked is well, a root cause above the bar, else undetermined."""
    top = ranked[0] if ranked else None
    sure = min(confidence(features(case, ranked)), ceiling(case, ranked[0])) if ranked else 0.0
    well = health(case, ranked)
    if well.link is not None:
        return _healthy(case, ranked, well)
    if top is None or sure < BAR:
        return _undetermined(case, ranked, sure)
    return Diagnosis(
        Verdict.ROOT_CAUSE, ranked[:MOST_HYPOTHESES], sure, next_check=next_check(case, ranked),
        ruled_out=_ruled_out(ranked), alerts=_accounts(case, top), why=_why(top, ranked),
    )  # fmt: skip


def _healthy(case: Case, ranked: tuple[Hypothesis, ...], well: Health) -> Diagnosis:
    accounts = tuple(AlertAccount(alert.fingerprint, "explained", well.why) for alert in case.incident.alerts)
    return Diagnosis(
        Verdict.HEALTHY, tuple(replace(h, chain=()) for h in ranked[:3]), well.confidence, healthy=well.link,
        alerts=accounts, why=well.why,
    )  # fmt: skip


def _undetermined(case: Case, ranked: tuple[Hypothesis, ...], sure: float) -> Diagnosis:
    accounts = tuple(AlertAccount(alert.fingerprint, "not_explained") for alert in case.incident.alerts)
    why = "Nothing that was searched speaks for any cause."
    if ranked:
        best = f"{ranked[0].fault} of {ranked[0].entity}"
        why = f"The best hypothesis, {best}, stays at {sure:.0%}: below the bar of {BAR:.0%}."
    return Diagnosis(
        Verdict.UNDETERMINED, ranked[:MOST_HYPOTHESES], sure, next_check=next_check(case, ranked), alerts=accounts,
        why=why,
    )  # fmt: skip


def next_check(case: Case, ranked: tuple[Hypothesis, ...]) -> str:
    """The cheapest check that tells the best hypothesis from the next, or how to see more when there is none."""
    for hypothesis in ranked[:3]:
        runbook = case.by_fault.get(hypothesis.fault)
        if runbook and runbook.checks:
            return _check(runbook, hypothesis)
    if case.gaps:
        return f"Make {case.gaps[0].what} readable ({case.gaps[0].why}), then diagnose again."
    about = case.alerted[0] if case.alerted else case.incident.title
    fired = f"{case.incident.fired_at:%H:%M} UTC"
    return f"Look at {about} itself: its state, its last log lines, and what was changed before {fired}."


def _check(runbook: Runbook, hypothesis: Hypothesis) -> str:
    check = runbook.checks[0]
    text = fill(check.text, hypothesis.entity, hypothesis.captures)
    command = fill(check.command, hypothesis.entity, hypothesis.captures)
    return f"{text}: `{command}`" if command else text


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


def _accounts(case: Case, top: Hypothesis) -> tuple[AlertAccount, ...]:
    near = max(case.near_alert(top.entity), 0.8 if top.explains else 0.0)
    account = "explained" if near >= 0.8 else "consistent"
    return tuple(
        AlertAccount(alert.fingerprint, account, f"{top.fault} of {top.entity}") for alert in case.incident.alerts
    )


def _why(top: Hypothesis, ranked: tuple[Hypothesis, ...]) -> str:
    rests = _many(len(top.findings), "finding speaks for it", "findings speak for it")
    follows = (
        f"; it explains {_many(len(top.explains), 'other observation', 'other observations')}" if top.explains else ""
    )
    second = f" Second: {ranked[1].fault} of {ranked[1].entity}." if len(ranked) > 1 else " Nothing else comes near."
    return f"{rests}{follows}.{second}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
