"""What one run of the loop works with, and what it remembers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from agents.answer import Bench
from agents.ask import Voice
from agents.files import AgentFile
from agents.messages import observations, task_of
from agents.offered import Presets, done, presets
from domain.runbook import Runbook
from domain.tool import Caller, ToolResult, ToolSpec
from tools.hub import Hub
from tools.read_back import NAME as READ_RESULT


class Loop(TypedDict):
    """What one agent sees: its own messages, and how many model calls it has made."""

    messages: Annotated[list[AnyMessage], add_messages]
    steps: int
    spent: int  # tokens that the model's calls took
    made: int  # calls the agent had made before this run of the loop
    closing: bool  # the last call, with no tools bound, was made
    why: str  # why the last call is to be made; empty while all goes well
    evidence: dict[str, Any] | None


@dataclass(frozen=True)
class AgentRun:
    """What one run of the loop works with; it is no part of the state."""

    file: AgentFile
    model: BaseChatModel
    by: str  # `analyst`, or the model's name
    hub: Hub
    caller: Caller
    tools: Mapping[str, ToolSpec]  # those granted to this agent
    deadline: float  # on the monotonic clock
    notice: Callable[[str, str], None]  # (what, whom) for whoever watches
    forced_conclusion: bool = True  # off: at a limit there is no last call without tools
    knowledge: tuple[Runbook, ...] = ()
    investigation: str = ""
    first_turn: int = 0  # number of the first model call, for the logs: a second look goes on counting
    tokens: int = 60_000  # that a model's calls may take in all
    compaction: float = 0.25  # share of a model's window above which notes take the place of older messages

    @cached_property
    def presets(self) -> Presets:
        """What a model's calls say where it says nothing."""
        return presets(self.knowledge)

    def voice(self, messages: list[AnyMessage]) -> Voice:
        """The model within this run's limits; its tools in the order of the task."""
        task = task_of(messages)
        order = {name: at for at, name in enumerate((READ_RESULT, *(t for t in task.tools if t != READ_RESULT)))}
        known = self._known(messages)
        # there is nothing to read again before there is a result
        spent = done(known, self.presets) - {READ_RESULT} | (frozenset() if observations(messages) else {READ_RESULT})
        names = sorted(self.tools, key=lambda name: (order.get(name, len(order)), name))
        return Voice(
            self.model, self.file.name, self.investigation, {name: self.tools[name] for name in names}, self.presets,
            self.file.bounds.model_seconds, self.deadline, self.tokens, self.compaction,
            spent,
        )  # fmt: skip

    def results(self, messages: list[AnyMessage]) -> dict[str, ToolResult]:
        """This run's results, by call id."""
        seen = (self.hub.ledger.result(o.call_id) for o in observations(messages))
        return {result.call_id: result for result in seen if result}

    def bench(self, messages: list[AnyMessage]) -> Bench:
        """What a model's answer is judged by."""
        found = self.results(messages)
        return Bench(self.file.name, self.by, task_of(messages), found, self.tools, self.knowledge)

    def _known(self, messages: list[AnyMessage]) -> list[ToolResult]:
        """This agent's results: those in its messages, and of earlier passes those that say that there is nothing."""
        ledger = self.hub.ledger
        entries = (e for e in ledger.entries() if e.caller.agent == self.file.name)
        earlier = [
            e.result for e in entries if e.result.status == "no_data" and not ledger.of_this_pass(e.result.call_id)
        ]
        return [*earlier, *self.results(messages).values()]
