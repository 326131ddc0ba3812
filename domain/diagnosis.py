"""Hypotheses, and the verdict that survives."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from domain.evidence import Citation, Finding

LINKED: Final = "linked"  # among the terms of a hypothesis: 0 where it is barred from being the cause


class Verdict(StrEnum):
    """The three possible answers."""

    ROOT_CAUSE = "root_cause"
    HEALTHY = "healthy"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Link:
    """One step of the causal chain."""

    entity: str
    fault: str
    statement: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """A candidate cause."""

    entity: str
    fault: str
    summary: str  # the mechanism in one sentence
    score: float  # comparable within one investigation only
    findings: tuple[Finding, ...] = ()  # what it rests on, the most telling first
    chain: tuple[Link, ...] = ()  # cause first
    explains: tuple[str, ...] = ()  # statements of findings and alerts that follow from it
    supports: tuple[str, ...] = ()  # why the score is up
    contradicts: tuple[str, ...] = ()  # why the score is down
    runbook: str = ""
    captures: dict[str, str] = field(default_factory=dict)
    terms: dict[str, float] = field(default_factory=dict)  # the parts of the score by name

    @property
    def linked(self) -> bool:
        """Whether it may be the cause: on a live machine not what nothing connects with an alert."""
        return self.terms.get(LINKED, 1.0) > 0


@dataclass(frozen=True)
class Action:
    """A proposal. A person decides, a separate executor acts."""

    when: str  # now | next | prevention
    text: str
    command: str = ""  # entity filled in and shell-quoted
    risk: str = "read"  # read | low | medium | high
    runbook: str = ""
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class AlertAccount:
    """What the diagnosis says of one alert."""

    fingerprint: str
    account: str  # explained | consistent | not_explained
    by: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """What root_cause decided and why."""

    verdict: Verdict
    hypotheses: tuple[Hypothesis, ...] = ()  # best first; [0] is the root cause
    confidence: float = 0.0  # that [0] is right, 0..1
    healthy: Link | None = None  # for `healthy`: the none.* fault and what was checked
    next_check: str = ""  # required when undetermined
    ruled_out: tuple[str, ...] = ()
    alerts: tuple[AlertAccount, ...] = ()
    unseen: tuple[str, ...] = ()  # what alerts are about and no source looks at
    why: str = ""  # why this verdict and confidence, in two lines at most
