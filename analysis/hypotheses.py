"""The hypothesis graph: which candidate explains which, and how well each accounts for the incident."""

import re
from datetime import timedelta
from typing import Final

from analysis.candidates import Candidate, Explanation
from analysis.case import Case
from analysis.chain import chain_of, summary_of
from analysis.changes import HARM
from analysis.diffs.effect import HARMS
from analysis.inventory_names import safe
from analysis.opinions import own
from analysis.patterns import fits_any
from analysis.signatures import contradictions
from domain.diagnosis import Hypothesis
from domain.entity import kind_of
from domain.fault import covers
from domain.runbook import Runbook

# A cause may be noticed later than its symptom where sources poll or flush: one scrape or log flush of slack.
SLACK: Final = timedelta(seconds=90)
SYMPTOM_WEIGHT: Final = 0.35  # what explaining all other evidence can add to a score
ALERT_WEIGHT: Final = 0.25  # what being about the alert can add
RUNBOOK_WEIGHT: Final = 0.08  # a runbook that names this alert
EARLY_WEIGHT: Final = 0.06  # onset before all others; small, since resolution differs by source
CHANGE_WEIGHT: Final = 0.08  # "the latest deploy did it" is a weak prior (design 12.7)
SOLID: Final = (
    0.5  # evidence from which a candidate counts as seen; what a mere possibility would explain does not make it real
)
AGREE_WEIGHT: Final = 0.06  # each further independent source, two at most
AGAINST_WEIGHT: Final = 0.5  # each unit of contradicting evidence
CAUSED_WEIGHT: Final = 0.5  # how far a candidate that another explains steps back
CHANGE_MINUTES: Final = 120.0
# What those who stand on it use up: there the user is the cause, though it needs the thing.
USED_UP: Final = ("disk", "volume", "host")
PROOF: Final = 0.8  # weight from which a signature alone proves its fault


def hypotheses(case: Case, found: tuple[Candidate, ...]) -> tuple[Hypothesis, ...]:
    """Every candidate as a scored hypothesis, best first."""
    links = explanations(case, found)
    scored = [_hypothesis(case, candidate, found, links) for candidate in found]
    return tuple(sorted(scored, key=lambda h: (-round(h.score, 6), h.fault, h.entity)))


def explanations(case: Case, found: tuple[Candidate, ...]) -> tuple[Explanation, ...]:
    """The edges of the graph: the runbook says so, the two are connected, and the cause does not start later."""
    return tuple(
        Explanation(a, b, near)
        for a in found
        if (runbook := case.by_fault.get(a.fault))
        for b in found
        if a is not b and any(covers(pattern, name) for pattern in runbook.explains for name in b.names)
        if a.measured is None or b.measured is None  # their ranking has walked the graph
        if not _later(a, b) and (near := 1.0 if a.fault != b.fault and _one_line(a, b) else _reaches(case, a, b))
    )


def _reaches(case: Case, cause: Candidate, symptom: Candidate) -> float:
    """How surely the cause acts where the symptom is; a change acts in what it changed, and does one harm."""
    told = cause.findings[0].captures
    if kind_of(cause.entity) != "change" or "service" not in told:
        near = _connected(case, cause.entity, symptom.entity)
        if not near and cause.fault != symptom.fault and kind_of(symptom.entity) in USED_UP:
            return 1.0
        return near
    changed = case.inventory.resolve(told["service"]) or safe("service", told["service"])
    near = _connected(case, changed, symptom.entity) or 0.5  # a user harms what it uses
    if told.get(HARM) not in HARMS:
        return near
    said = [re.sub(r"[._]", " ", symptom.fault), *(each.statement for each in symptom.findings)]
    does = HARMS[told[HARM]].search(" ".join(said))
    if does:
        return 1.0
    return 0.0 if symptom.known and symptom.measured is None and _proved(symptom) else min(near, 0.5)


def _proved(symptom: Candidate) -> bool:
    """Whether a runbook's signature proves it: a fault of its own, which needs more than any change as its reason."""
    return any(each.weight >= PROOF and each.signature for each in symptom.findings)


def _later(a: Candidate, b: Candidate) -> bool:
    return bool(a.onset and b.onset and a.onset > b.onset + SLACK)


def _one_line(a: Candidate, b: Candidate) -> bool:
    """Whether both rest on one line: then they read the same message, and it is the cause that says more of it."""
    lines = [{(c.source, c.line) for f in own(each.findings) for c in f.citations if c.line} for each in (a, b)]
    return bool(lines[0] & lines[1])


def _connected(case: Case, cause: str, symptom: str) -> float:
    inventory = case.inventory
    if inventory.same(cause, symptom) or symptom in inventory.related(cause) or inventory.depends(symptom, cause):
        return 1.0
    return 0.0 if inventory.depends(cause, symptom) else 0.5


def _hypothesis(
    case: Case, candidate: Candidate, found: tuple[Candidate, ...], links: tuple[Explanation, ...]
) -> Hypothesis:
    runbook = case.by_fault.get(candidate.fault)
    effects = [link for link in links if link.cause is candidate]
    names = frozenset(finding.entity for finding in candidate.findings)
    against = contradictions(case.knowledge, candidate.fault, candidate.entity, case.facts, case.findings, names)
    terms = {
        "evidence": candidate.strength,
        "explains": SYMPTOM_WEIGHT
        * min(1.0, sum(link.strength * link.symptom.strength for link in effects))
        * min(1.0, candidate.strength / SOLID),
        "alert": ALERT_WEIGHT * _near(case, candidate, effects) * candidate.strength,
        "runbook": RUNBOOK_WEIGHT * _answers(runbook, case),
        "early": EARLY_WEIGHT * (_early(candidate, found) if candidate.measured is None else 0.5),
        "change": CHANGE_WEIGHT * _changed(case, candidate),
        "agreement": AGREE_WEIGHT * min(2, max(0, len(candidate.sources) - 1)),
        "against": -AGAINST_WEIGHT * min(1.0, sum(each.weight for each in against)),
        "symptom": -CAUSED_WEIGHT * _caused(candidate, links),
    }  # fmt: skip
    return Hypothesis(
        candidate.entity, candidate.fault, summary_of(candidate, runbook), round(sum(terms.values()), 4),
        candidate.findings, chain_of(candidate, effects), tuple(link.symptom.findings[0].statement for link in effects),
        _supports(candidate, effects, terms), tuple(each.reason for each in against), runbook.name if runbook else "",
        candidate.findings[0].captures, {name: round(value, 4) for name, value in terms.items()},
    )  # fmt: skip


def _near(case: Case, candidate: Candidate, effects: list[Explanation]) -> float:
    """How near it, or what follows from it, is to the alert. Of a measured suspect it says nothing:
    the alerted thing's own slowness is the symptom."""
    if candidate.measured is not None:
        return 0.5
    follow = [case.near_alert(link.symptom.entity) * link.strength for link in effects]
    return max([case.near_alert(candidate.entity), *follow])


def _answers(runbook: Runbook | None, case: Case) -> float:
    """1 where the runbook names one of the alerts."""
    return float(runbook is not None and any(fits_any(runbook.alerts, name) for name in case.alert_names))


def _early(candidate: Candidate, found: tuple[Candidate, ...]) -> float:
    """1 for an onset before all others that are known, 0.5 where it is not known."""
    if candidate.onset is None:
        return 0.5
    others = [other.onset for other in found if other is not candidate and other.onset]
    return float(all(candidate.onset <= onset for onset in others))


def _changed(case: Case, candidate: Candidate) -> float:
    """The nearest change before the onset that is about this entity, the nearer the more."""
    near = [
        1.0 - change.minutes_before / CHANGE_MINUTES
        for change in case.changes
        if change.minutes_before is not None and 0 <= change.minutes_before < CHANGE_MINUTES
        if (owner := case.inventory.resolve(change.entity)) and case.inventory.same(owner, candidate.entity)
    ]
    return max(near, default=0.0)


def _caused(candidate: Candidate, links: tuple[Explanation, ...]) -> float:
    """How strongly some other candidate explains this one; two that explain each other keep the stronger cause."""
    causes = [link for link in links if link.symptom is candidate]
    effects = {id(link.symptom) for link in links if link.cause is candidate}
    real = [link for link in causes if id(link.cause) not in effects or link.cause.strength > candidate.strength]
    return max((link.strength * min(1.0, link.cause.strength) for link in real), default=0.0)


def _supports(candidate: Candidate, effects: list[Explanation], terms: dict[str, float]) -> tuple[str, ...]:
    told = [finding.statement for finding in candidate.findings[:3]]
    told += [f"explains: {link.symptom.findings[0].statement}" for link in effects[:3]]
    told += ["it began before everything else that has a time"] if terms["early"] >= EARLY_WEIGHT else []
    told += ["a change of the same thing came shortly before"] if terms["change"] > 0 else []
    return tuple(told)
