"""What an agent hands back: findings on citations, gaps, and what was searched."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.codec import Json
from domain.facts import Fact
from domain.results import Change, Edge, Passage

LISTENS: Final = "log.listens"  # kind of a finding that a program says which port it opened; it only informs
PASSAGE: Final = "/passage"  # ends the signature of a finding that rests on a passage alone


class Severity(StrEnum):
    """How bad a finding is for the one who is affected."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


@dataclass(frozen=True)
class Citation:
    """Where in a stored tool result a statement rests: a quote of text, or a path and the value there."""

    call_id: str  # `<agent>.<n>`
    source: str = ""  # path of the file from the bundle's root, or the source's name
    line: int | None = None  # from 1, where the source has lines
    quote: str | None = None  # one line, verbatim from the source after redaction
    path: str | None = None  # JSON pointer into the result's data
    value: Json = None  # what stands at the path


@dataclass(frozen=True)
class Finding:
    """One observation about one entity."""

    entity: str
    kind: str  # a fault a runbook knows, or a symptom kind such as `log.new_error`, `metric.anomaly`
    statement: str
    citations: tuple[Citation, ...] = ()
    onset: datetime | None = None  # when it began, None where that is not known
    resolution_seconds: float | None = None  # how exactly the onset is known
    severity: Severity = Severity.WARNING
    weight: float = 0.5  # 0..1: how much this alone speaks for its kind
    signature: str = ""  # `<runbook>/<signature id>` where one fired
    captures: dict[str, str] = field(default_factory=dict)  # named parts, to fill in mechanisms and commands
    score: float = 0.0  # metric and trace findings: size of the deviation in robust sigmas; 0 otherwise

    @property
    def only_advised(self) -> bool:
        """Whether it rests on a runbook's passage alone: that says what to look for, not what happened."""
        return self.signature.endswith(PASSAGE)


@dataclass(frozen=True)
class Gap:
    """What could not be checked."""

    what: str
    why: str
    tried: str = ""


@dataclass(frozen=True)
class Coverage:
    """What one call searched. Absence may be claimed only of what stands here."""

    call_id: str
    source: str
    status: str  # ok | no_data | error | denied | invalid | timeout | unavailable
    window: str = ""
    filter: str = ""
    matched: int | None = None
    returned: int | None = None
    truncated: bool = False


@dataclass(frozen=True)
class Evidence:
    """One agent's result. Nothing else of its conversation leaves it."""

    agent: str
    by: str  # `analyst`, or the model's name
    conclusion: str
    findings: tuple[Finding, ...] = ()
    gaps: tuple[Gap, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    facts: tuple[Fact, ...] = ()  # what root_cause builds the inventory of
    places: tuple[str, ...] = ()  # where each of the facts stands: `<call id>/facts/<n>`; empty when not known
    edges: tuple[Edge, ...] = ()  # who needs whom
    changes: tuple[Change, ...] = ()  # before the onset
    passages: tuple[Passage, ...] = ()  # what retrieval found
