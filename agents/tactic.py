"""The offline analyst's contract: a tactic is a pure function of a task, what was observed, and what runbooks know."""

from collections.abc import Callable
from dataclasses import dataclass, field

from domain.codec import Json
from domain.evidence import Evidence
from domain.plan import Task
from domain.runbook import Runbook


@dataclass(frozen=True)
class Observation:
    """One tool call of this agent and what came of it."""

    call_id: str
    tool: str
    arguments: dict[str, Json]
    status: str  # ok | no_data | error | denied | invalid | timeout | unavailable
    data: Json = None  # typed, redacted, whole; plain JSON of the tool's result type
    error: str = ""


@dataclass(frozen=True)
class Call:
    """One tool call that a tactic asks for."""

    tool: str
    arguments: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolCalls:
    """Calls to make side by side before the next step."""

    calls: tuple[Call, ...]


Knowledge = tuple[Runbook, ...]
Step = Callable[[Task, tuple[Observation, ...], Knowledge], ToolCalls | Evidence]
