"""The next thing to look at: what tells the best hypothesis from the one that comes near it."""

import re
from collections.abc import Sequence
from typing import Final

from analysis.case import Case
from analysis.wording import fill
from domain.diagnosis import Hypothesis
from domain.runbook import Remedy, Runbook

NEAR: Final = 0.5  # of the best score: what is weaker is no rival
_BEST: Final = 3  # hypotheses that a check may be about
_LEAST: Final = 4  # letters of a word; shorter ones are `in`, `not`, `up`, but for these
_SHORT: Final = frozenset({"dns", "tls", "oom", "mtu", "wal", "pid", "cpu", "arp", "nat", "shm"})


def next_check(case: Case, ranked: tuple[Hypothesis, ...]) -> str:
    """The cheapest check that tells the best hypothesis from the next, or how to see more when there is none."""
    for hypothesis in (each for each in ranked[:_BEST] if each.linked):
        runbook = case.by_fault.get(hypothesis.fault)
        if runbook and runbook.checks:
            return _told(*_deciding(case, hypothesis, runbook, _rival(hypothesis, ranked)))
    if case.gaps:
        return f"Make {case.gaps[0].what} readable ({case.gaps[0].why}), then diagnose again."
    about = case.alerted[0] if case.alerted else case.incident.title
    fired = f"{case.incident.fired_at:%H:%M} UTC"
    return f"Look at {about} itself: its state, its last log lines, and what was changed before {fired}."


def _rival(best: Hypothesis, ranked: Sequence[Hypothesis]) -> Hypothesis | None:
    """The next that comes near, of another fault, and does not follow from it."""
    near = (each for each in ranked if each.linked and each is not best and each.score >= NEAR * best.score)
    return next((h for h in near if h.fault != best.fault and h.terms.get("symptom", 0.0) >= 0), None)


def _deciding(case: Case, best: Hypothesis, runbook: Runbook, rival: Hypothesis | None) -> tuple[Remedy, Hypothesis]:
    """The check whose words are about the rival, else one of the rival's that is about the best; checks stand in the
    order of what they cost, so that the first of them is taken, too, where none is about either."""
    if rival is None:
        return runbook.checks[0], best
    other = case.by_fault.get(rival.fault)
    tried = (runbook, best, rival), *([(other, rival, best)] if other and other.checks else [])
    for of, hypothesis, against in tried:
        marks = _words(against.fault) - _words(hypothesis.fault)
        counts = [sum(_names(check, mark) for mark in marks) for check in of.checks]
        if max(counts):
            return of.checks[counts.index(max(counts))], hypothesis
    return runbook.checks[0], best


def _words(fault: str) -> set[str]:
    """The words of a fault that mean something by themselves: `port` of `process.port_in_use`."""
    return {word for word in re.split(r"[._]", fault) if len(word) >= _LEAST or word in _SHORT}


def _names(check: Remedy, word: str) -> bool:
    return re.search(rf"(?i)\b{re.escape(word.removesuffix('s'))}s?\b", f"{check.text} {check.command}") is not None


def _told(check: Remedy, hypothesis: Hypothesis) -> str:
    text = fill(check.text, hypothesis.entity, hypothesis.captures)
    command = fill(check.command, hypothesis.entity, hypothesis.captures)
    return f"{text}: `{command}`" if command else text
