"""A tool call on its way through the hub, and what the stages work with."""

from dataclasses import dataclass, field
from typing import Protocol

from analysis.secrets.redaction import Redactor
from domain.codec import Json
from domain.tool import Caller, ToolSpec


@dataclass(frozen=True)
class Limits:
    """The three budgets on what a model sees, in characters, and the switches of the layers of context control."""

    result_chars: int = 12_000
    turn_results: int = 3  # one turn may return so many results' worth
    agent_chars: int = 120_000
    floor_chars: int = 400  # a result never gets less: enough for the notice and its call id
    source_filters: bool = True  # off: filters that a caller left at their default are opened to their bounds
    views: bool = True  # off: plain JSON instead of the tool's view
    budgets: bool = True  # off: nothing is cut


@dataclass(frozen=True)
class Passing:
    """A call between two stages. A stage returns an evolved one or raises a ToolError."""

    call_id: str
    caller: Caller
    tool: str
    arguments: dict[str, Json]
    allowance: int  # characters the budget stage may keep
    spec: ToolSpec | None = None  # set by resolve
    data: Json = None  # set by execute, redacted by redact
    redactions: int = 0
    text: str = ""  # set by transform, cut by budget
    original_chars: int = 0
    truncated: bool = False

    @property
    def known(self) -> ToolSpec:
        """The spec; only stages after resolve ask for it."""
        if self.spec is None:
            raise LookupError(f"{self.tool} was not resolved")
        return self.spec


class Source(Protocol):
    """What answers a resolved call: the servers themselves, or a flight recording."""

    async def answer(self, call: Passing) -> Json:
        """The structured result. Raises ToolTimeout or ToolUnavailable."""
        ...


@dataclass(frozen=True)
class Governance:
    """What the stages of one investigation share."""

    registry: dict[str, ToolSpec]
    grants: dict[str, frozenset[str]]  # agent or node -> tool names its file names
    source: Source
    redactor: Redactor
    limits: Limits = field(default_factory=Limits)
