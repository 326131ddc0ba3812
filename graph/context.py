"""What the nodes work with: built anew for each run, never stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from langchain_core.language_models import BaseChatModel

from agents.files import AgentFile
from domain.runbook import Runbook
from domain.tool import Caller, ToolSpec
from tools.hub import Hub

Notice = Callable[[str, str], None]  # (what, whom): `agent_started log`


def unheard(what: str, whom: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Budget:
    """What the model's calls of one investigation may take together."""

    tokens: int = 150_000  # prompts and answers
    seconds: float = 900.0  # wall clock, from the investigation's start
    compaction: float = 0.25  # share of a model's window above which notes take the place of older messages


@dataclass(frozen=True)
class Work:
    """Everything one investigation uses."""

    investigation: str  # its id, the trace id everywhere
    hub: Hub
    registry: Mapping[str, ToolSpec]
    grants: Mapping[str, frozenset[str]]
    agents: Mapping[str, AgentFile]
    models: Mapping[str, Mapping[str, BaseChatModel]]  # by pass, then by agent
    knowledge: tuple[Runbook, ...]
    caller: Caller  # identity, scopes and entry; each agent and node puts its own name in
    started_at: datetime
    clock: Callable[[], datetime]
    contract: str = ""  # hash of the prompts
    fingerprint: str = ""  # hash of the code
    forced_conclusion: bool = True
    budget: Budget = Budget()
    notice: Notice = field(default=unheard)
    spent: Callable[[], tuple[int, float]] = lambda: (0, 0.0)  # tokens and cost of the model's calls so far
