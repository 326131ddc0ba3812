"""What is over: an event that its provider reports as done, long enough before the alert, with all series back."""

import re
from datetime import timedelta
from typing import Final

from analysis.case import Case
from analysis.opinions import own
from domain.diagnosis import Hypothesis
from domain.facts import Fact

STEADY: Final = "metric.steady"
SETTLED: Final = timedelta(minutes=5)
_BACK: Final = re.compile(
    r"(?i)\b(?:recovered|restored|back (?:online|in service)|"
    r"(?:instance|cluster|node|database|replica|server|service|volume) is (?:now )?available)\b"
)
_DONE: Final = re.compile(r"(?i)\b(?:completed|finished|succeeded)\b")
# "has not completed", "will be restored once ...", "partially completed": words of an end that did not come
_NOT_YET: Final = re.compile(
    r"(?i)\b(?:not|never|cannot|yet|will|would|should|to be|until|once|when|unless|if|before|partly|partially|pending|"
    r"waiting|await\w*|expected|scheduled)\b|n't\b"
)
# What is done: the end of a backup says nothing of a failover.
_WORK: Final = re.compile(
    r"(?i)\b(?:(?:fail|switch)[- ]?over|maintenance|scal|resiz|upgrad|patch|restart|reboot|backup|back(?=ing up)|"
    r"snapshot|migrat|modif|deploy|roll|updat|promot|recover|restor|rebalanc|reshard|resync|sync|replac|drain|optimi[sz])"
)
_FAILED: Final = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s|ing)?|unhealthy|unreachable|lost|error|cannot|could not|unable)\b"
)
_LOUD: Final = ("log.error", "log.new", "log.burst", "metric.anomaly", "probe.failed")


def end_of(case: Case, hypothesis: Hypothesis) -> Fact | None:
    """The event that says that what the hypothesis rests on is done; None where it may go on or came back.

    It must rest on reported events alone, nothing may be told of a failure or be loud after the end, and the series of
    the thing must be what they were: a planned failover, a maintenance or a scaling that is over.
    """
    found = own(hypothesis.findings)
    events = [
        fact for fact in case.facts if fact.kind == "event" and case.inventory.same(fact.entity, hypothesis.entity)
    ]
    quoted = {(fact.source, fact.line): _said(fact) for fact in events if fact.line}
    told = [quoted.get((cited.source, cited.line or 0), "") for each in found for cited in each.citations]
    if not found or not told or not all(told):
        return None
    work = _work(" ".join(told))
    ends = [(fact.at, place) for place, fact in enumerate(events) if fact.at and _ends(_said(fact), work)]
    if not ends or case.incident.fired_at - (ended := max(ends)[0]) < SETTLED:
        return None
    last = events[max(ends)[1]]
    messages = [_said(fact) for fact in events]
    later = [each.onset for each in found] + [
        fact.at for fact in events if _work(_said(fact)) and not _ends(_said(fact), _work(_said(fact)))
    ]
    began_later = any(at and at > ended for at in later)
    loud = any(each.kind in _LOUD and (each.onset is None or each.onset > ended) for each in case.findings)
    steady = any(each.kind == STEADY and case.inventory.same(each.entity, hypothesis.entity) for each in case.findings)
    return last if steady and not loud and not began_later and not any(map(_FAILED.search, messages)) else None


def _said(fact: Fact) -> str:
    return str(fact.attributes.get("message") or "")


def _work(text: str) -> set[str]:
    """What kind of work the text speaks of."""
    return {re.sub(r"[- ]", "", found).lower() for found in _WORK.findall(text)}


def _ends(message: str, work: set[str]) -> bool:
    """Whether it says that this work is done, or that the thing is back."""
    done = _BACK.search(message) or (_DONE.search(message) and _work(message) & work)
    return bool(done) and not _NOT_YET.search(message)
