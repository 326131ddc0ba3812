"""The report as a typed artifact. `report/` renders it; nothing is read back from markdown."""

from dataclasses import dataclass, field

from domain.alert import Incident
from domain.diagnosis import Action, Diagnosis
from domain.evidence import Coverage, Evidence, Gap
from domain.tool import ToolResult


@dataclass(frozen=True)
class Checks:
    """What the citation check found."""

    statements: int = 0
    cited: int = 0
    verified: int = 0
    struck: int = 0


@dataclass(frozen=True)
class Run:
    """The only part that holds clocks, ids and durations."""

    investigation: str
    started_at: str
    seconds: float
    models: tuple[str, ...] = ()
    contract: str = ""
    fingerprint: str = ""
    tokens: int = 0
    cost: float = 0.0
    tool_calls: int = 0
    checks: Checks = Checks()


@dataclass(frozen=True)
class Series:
    """One line of a chart."""

    entity: str
    metric: str
    points: tuple[tuple[float, float], ...]  # epoch seconds, value


@dataclass(frozen=True)
class Report:
    """All that a report says. Citations stand at the statements; rendering numbers them."""

    incident: Incident
    diagnosis: Diagnosis
    evidence: tuple[Evidence, ...]
    coverage: tuple[Coverage, ...]
    gaps: tuple[Gap, ...]
    actions: tuple[Action, ...]
    passages: tuple[str, ...] = ()  # runbooks that were found, by name; empty says so
    unverified: tuple[str, ...] = ()  # statements whose citations did not resolve
    charts: tuple[Series, ...] = ()
    calls: tuple[ToolResult, ...] = ()  # what citations point into; not rendered whole
    run: Run = field(default_factory=lambda: Run("", "", 0.0))
