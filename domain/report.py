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
class Opinion:
    """What one of the two would say by itself."""

    by: str  # `analyst`, or the model's name
    verdict: str
    entity: str = ""  # of its cause, or of its best hypothesis
    fault: str = ""
    confidence: float = 0.0
    findings: int = 0
    unsupported: int = 0  # statements of its that cited nothing which a result bears


@dataclass(frozen=True)
class Comparison:
    """Where a model and the offline analyst agree and differ."""

    analyst: Opinion
    model: Opinion
    agreement: str  # cause | entity | verdict | open | none: how far they go together
    shared: int  # findings that both have
    only_analyst: tuple[str, ...] = ()  # findings that the other has not
    only_model: tuple[str, ...] = ()


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
    comparison: Comparison | None = None  # where a model has looked, too
    calls: tuple[ToolResult, ...] = ()  # what citations point into; not rendered whole
    run: Run = field(default_factory=lambda: Run("", "", 0.0))
