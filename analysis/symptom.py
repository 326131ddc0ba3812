"""What kind of symptom an alert states: which evidence can show that nothing is wrong."""

import re
from enum import StrEnum
from typing import Final

from domain.alert import Alert


class Symptom(StrEnum):
    """Who feels it decides what an all-clear must rest on."""

    STATE = "state"  # something restarts, is not ready, is not running: its state answers
    RESOURCE = "resource"  # a number passed a threshold: its series answer
    SERVICE = "service"  # callers see errors or slowness: only what callers see answers
    CHECK = "check"  # a question or a routine check: nothing is claimed to be wrong


# What callers feel, by whatever else the alert is called.
_CALLERS: Final = re.compile(
    r"(?i)5xx|\b50[0-9]\b|errors?\b|fail|latency|slow|time-?outs?\b|unavailable|unreachable|refus|hang|apdex|burn|"
    r"unhealthy rate|lost|missing"
)
_RESOURCE: Final = re.compile(
    r"(?i)cpu|memory|disk|storage|space|connection|count|utili[sz]ation|usage|saturation|threshold|load|iops|"
    r"throughput|queue|pressure"
)
_STATE: Final = re.compile(r"(?i)restart|not ?ready|replica|pod|unhealthy|crash|oom|evict|pending|rollout|container")
_CHECK: Final = re.compile(r"(?i)health ?(check|question)|scheduled|routine|heartbeat|watchdog|periodic|info")


def symptom_of(alert: Alert) -> Symptom:
    """By the alert's name first, then by its summary. What nobody can class is felt by callers: the careful answer."""
    name, summary = words(alert.name), alert.annotations.get("summary", "")
    if _CALLERS.search(name):
        return Symptom.SERVICE
    if alert.severity == "info" or _CHECK.search(name):
        return Symptom.SERVICE if _CALLERS.search(summary) else Symptom.CHECK
    for text in (name, summary):
        for pattern, symptom in ((_STATE, Symptom.STATE), (_RESOURCE, Symptom.RESOURCE), (_CALLERS, Symptom.SERVICE)):
            if pattern.search(text):
                return symptom
    return Symptom.SERVICE


def felt_by_callers(name: str) -> bool:
    """Whether the alert's name says that callers see errors or slowness."""
    return bool(_CALLERS.search(words(name)))


def words(name: str) -> str:
    """`RDSDatabaseConnectionsHigh` as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]", " ", name)
