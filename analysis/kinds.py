"""Whether a fault is of the kind that an alert tells of: by runbooks that answer it, else by the resource it names."""

import re
from enum import Enum
from typing import Final

from analysis.case import Case
from analysis.patterns import fits_any
from analysis.symptom import Symptom, felt_by_callers, symptom_of, words
from domain.alert import Alert
from domain.fault import covers, family_of, is_none
from domain.runbook import Runbook


class Fit(Enum):
    """How a fault and an alert go together."""

    YES = "yes"  # a runbook says so
    OPEN = "open"  # the alert could be of any kind
    NO = "no"  # the alert is of another kind, and nothing says that this fault leads to it


# The families of faults that are about a resource which an alert's name may say.
_FAMILIES: Final = (
    (re.compile(r"(?i)\bcpu\b|\bload\b|processor"), ("cpu", "load")),
    (re.compile(r"(?i)memory|\bram\b|swap|\boom\b|heap"), ("memory", "cache")),
    (re.compile(r"(?i)disk|storage|file ?system|inode|volume|iops"), ("disk",)),
    (re.compile(r"(?i)cert(?:ificate|s)?(?: expir\w*)?\b|\b(?:ssl|tls)\b"), ("tls",)),
    (re.compile(r"(?i)clock|\bntp\b|time drift"), ("time",)),
    (re.compile(r"(?i)replica(?:tion)? (?:lag|delay)|\bslot\b"), ("replication",)),
    (re.compile(r"(?i)\bqueue|backlog|consumer"), ("queue",)),
    (re.compile(r"(?i)descriptor|\bfds?\b|zombie|\bpids?\b"), ("process",)),
)


def fit(case: Case, fault: str, alert: Alert) -> Fit:
    """Whether the alert can come of the fault."""
    runbook = case.by_fault.get(fault)
    named = [each for each in case.knowledge if fits_any(each.alerts, alert.name)]
    if is_none(fault) or (runbook and any(_leads(runbook, each.fault) for each in named)):
        return Fit.YES
    if runbook is None or felt_by_callers(alert.name):
        return Fit.OPEN
    families = [family for pattern, of in _FAMILIES if pattern.search(words(alert.name)) for family in of]
    if families:
        return Fit.YES if any(_leads_to_family(runbook, family) for family in families) else Fit.NO
    return Fit.NO if named and symptom_of(alert) is Symptom.RESOURCE else Fit.OPEN


def _leads(runbook: Runbook, fault: str) -> bool:
    return runbook.fault == fault or any(covers(pattern, fault) for pattern in runbook.explains)


def _leads_to_family(runbook: Runbook, family: str) -> bool:
    return family in {family_of(each) for each in (runbook.fault, *runbook.explains)}
