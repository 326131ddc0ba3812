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
_DONE: Final = re.compile(
    r"(?i)\b(?:completed|finished|succeeded|recovered|restored|back (?:online|in service)|is (?:now )?available)\b"
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
    quoted = {(fact.source, fact.line): str(fact.attributes.get("message") or "") for fact in events}
    told = [quoted.get((cited.source, cited.line), "") for each in found for cited in each.citations]
    if not found or not told or not all(told):
        return None
    ends = [fact for fact in events if fact.at and _DONE.search(str(fact.attributes.get("message") or ""))]
    last = max(ends, key=lambda fact: str(fact.at), default=None)
    if last is None or last.at is None or case.incident.fired_at - last.at < SETTLED:
        return None
    messages = [str(fact.attributes.get("message") or "") for fact in events]
    began_later = any(each.onset and each.onset > last.at for each in found)
    loud = any(each.kind in _LOUD and each.onset and each.onset > last.at for each in case.findings)
    steady = any(each.kind == STEADY and case.inventory.same(each.entity, hypothesis.entity) for each in case.findings)
    return last if steady and not loud and not began_later and not any(map(_FAILED.search, messages)) else None
