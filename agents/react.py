"""One ReAct loop for every agent: think, act, conclude. It always ends with Evidence, also at a limit."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from agents.analyst import NAME as ANALYST
from agents.answer import Bench, read_answer
from agents.ask import Voice, affordable, ask
from agents.breaker import stuck
from agents.files import AgentFile
from agents.messages import (
    identified,
    observations,
    opening,
    parse_conclusion,
    refusal,
    said,
    task_of,
    tool_message,
    unreadable,
)
from agents.offered import Presets, done, filled, openai_tool, presets
from domain.codec import from_plain, to_plain
from domain.errors import FencedOff, FishboneError, StoreUnavailable, TimeLimit
from domain.evidence import Evidence, Gap
from domain.plan import Task
from domain.runbook import Runbook
from domain.tool import Caller, ToolResult, ToolSpec
from tools.hub import Ask, Hub
from tools.read_back import NAME as READ_RESULT

log = logging.getLogger(__name__)
ANSWER_NOW: Final = "No more tools are available{why}. Conclude now, with what you have seen, as one JSON object."
AT_LIMIT: Final = "its step or time limit was reached"


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

    def _known(self, messages: list[AnyMessage]) -> list[ToolResult]:
        """This agent's results: those in its messages, and of earlier passes those that say that there is nothing."""
        ledger = self.hub.ledger
        entries = (e for e in ledger.entries() if e.caller.agent == self.file.name)
        earlier = [
            e.result for e in entries if e.result.status == "no_data" and not ledger.of_this_pass(e.result.call_id)
        ]
        own = (ledger.result(o.call_id) for o in observations(messages))
        return [*earlier, *(result for result in own if result)]


async def think(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Ask for the next calls or the conclusion; where it must end, once more with no tools bound."""
    run = runtime.context
    why = state["why"] or limit(state, run)
    if why and not run.forced_conclusion:
        return {"closing": True, "why": why, "evidence": to_plain(_fallback(state, run, "its limit was reached"))}
    try:
        answer, tokens = await (_analyst(state, run, why) if run.by == ANALYST else _model(state, run, why))
    except (FencedOff, StoreUnavailable):
        raise  # not the model's: the run ends here
    except TimeLimit as exc:
        if why:
            return _given_up(state, run, why, exc)
        return {"why": str(exc), "steps": state["steps"] + 1}  # there is time kept for the last call
    except FishboneError as exc:
        return _given_up(state, run, why, exc)
    step = {"messages": [answer], "steps": state["steps"] + 1, "spent": state["spent"] + tokens}
    return step | {"closing": bool(why), "why": why or _no_answer(state, run, answer)}


def limit(state: Loop, run: AgentRun) -> str:
    """Why this model call is the last one, made with no tools bound; or nothing."""
    if state["steps"] >= run.file.bounds.steps or time.monotonic() >= run.deadline:
        return AT_LIMIT
    if run.by == ANALYST:
        return ""
    voice = run.voice(state["messages"])
    if voice.time_left(concluding=False) <= 0:
        return AT_LIMIT
    if why := stuck(state["messages"]):
        return why
    return "" if affordable(state["messages"], voice, state["spent"]) else "its tokens were used up"


async def _analyst(state: Loop, run: AgentRun, why: str) -> tuple[AIMessage, int]:
    """The analyst has no window, no price and no bad day."""
    model = run.model if why else run.model.bind_tools([openai_tool(spec) for spec in run.tools.values()])
    return await model.ainvoke(state["messages"]), 0


async def _model(state: Loop, run: AgentRun, why: str) -> tuple[AIMessage, int]:
    voice = run.voice(state["messages"])
    demand = ANSWER_NOW.format(why=f": {why}") if why else ""
    turn, spent = run.first_turn + state["steps"], state["spent"]
    answer, tokens = await ask(state["messages"], voice, turn=turn, spent=spent, demand=demand)
    return identified(answer, state["messages"]), tokens


def _given_up(state: Loop, run: AgentRun, why: str, exc: FishboneError) -> dict[str, Any]:
    log.warning("%s: the model gave no answer: %s", run.file.name, exc)
    return {"closing": bool(why), "why": why, "evidence": to_plain(_fallback(state, run, str(exc)))}


def _no_answer(state: Loop, run: AgentRun, answer: AIMessage) -> str:
    """Why a message that asks for no calls is no conclusion either: it is asked for once more, without tools."""
    if run.by == ANALYST or answer.tool_calls or answer.invalid_tool_calls:
        return ""
    read = _read(answer, state, run)
    return f"its answer could not be read ({read})" if isinstance(read, str) else ""


async def act(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Make the calls side by side through the hub; what could not be read as a call is answered with the reason."""
    run, last = runtime.context, _last(state)
    asked = last.tool_calls
    run.hub.ledger.rewind(run.file.name, state["made"] + len(observations(state["messages"])))  # of a lost worker
    for call in asked:
        run.notice("tool_called", f"{run.file.name} {call['name']}")
    limits = None if run.by == ANALYST else run.voice(state["messages"]).limits(run.hub.limits)
    asks = [Ask(call["name"], _arguments(call, run)) for call in asked]
    results = await run.hub.turn(run.caller, asks, limits) if asks else []
    answers = [tool_message(result) for result in results]
    return {
        "messages": [
            *(_answering(message, call["id"]) for message, call in zip(answers, asked, strict=True)),
            *(refusal(str(bad["id"]), str(bad["name"]), unreadable(bad)) for bad in last.invalid_tool_calls),
        ]
    }


async def conclude(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Evidence out of the last message, or what can be said without it."""
    run = runtime.context
    found = state.get("evidence")
    read: Evidence | str = from_plain(Evidence, found) if found else _read(_last(state), state, run)
    if isinstance(read, str):
        log.warning("%s: forced conclusion failed: %s", run.file.name, read)
        read = _fallback(state, run, read)
    if state["closing"]:
        log.warning("%s concluded early, after %d model calls: %s", run.file.name, state["steps"], state["why"])
        read = replace(read, gaps=(*read.gaps, Gap(f"{run.file.name} agent", state["why"])))
    return {"evidence": to_plain(replace(read, agent=run.file.name, by=run.by, coverage=_coverage(state, run)))}


def after_thinking(state: Loop) -> Literal["act", "conclude", "think"]:
    """Calls are made only while tools are bound; a model that asks for more concludes all the same."""
    if state.get("evidence") or state["closing"]:
        return "conclude"
    if state["why"]:
        return "think"
    last = _last(state)
    return "act" if last.tool_calls or last.invalid_tool_calls else "conclude"


def build_loop() -> Any:
    """The compiled loop; nested in a node it inherits that graph's checkpointer."""
    graph = StateGraph(Loop, context_schema=AgentRun)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_node("conclude", conclude)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_thinking)
    graph.add_edge("act", "think")
    graph.add_edge("conclude", END)
    return graph.compile()


LOOP: Final = build_loop()


async def investigate(task: Task, run: AgentRun) -> Evidence:
    """One agent's work on one task."""
    start = {
        "messages": opening(run.file.prompt, task), "steps": 0, "spent": 0, "closing": False, "why": "",
        "made": run.hub.ledger.made(run.file.name), "evidence": None,
    }  # fmt: skip
    limit = 2 * run.file.bounds.steps + 10
    end = await LOOP.ainvoke(start, {"recursion_limit": limit}, context=run)
    return from_plain(Evidence, end["evidence"])


def _last(state: Loop) -> AIMessage:
    return next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))


def _answering(message: ToolMessage, call_id: str | None) -> ToolMessage:
    return message.model_copy(update={"tool_call_id": call_id or message.tool_call_id})


def _arguments(call: Any, run: AgentRun) -> dict[str, Any]:
    return dict(call["args"]) if run.by == ANALYST else filled(call["name"], call["args"], run.presets)


def _read(message: AIMessage, state: Loop, run: AgentRun) -> Evidence | str:
    """The evidence in a message, or why there is none."""
    if run.by == ANALYST:
        return parse_conclusion(message)
    if (message.tool_calls or message.invalid_tool_calls) and not said(message):
        return "the model called tools though none were offered"
    return read_answer(said(message), _bench(state, run))


def _bench(state: Loop, run: AgentRun) -> Bench:
    """What this agent's results in this run, and the runbooks, say."""
    seen = (run.hub.ledger.result(o.call_id) for o in observations(state["messages"]))
    results = {result.call_id: result for result in seen if result}
    return Bench(run.file.name, run.by, task_of(state["messages"]), results, run.tools, run.knowledge)


def _coverage(state: Loop, run: AgentRun) -> tuple[Any, ...]:
    results = (run.hub.ledger.result(o.call_id) for o in observations(state["messages"]))
    return tuple(result.coverage for result in results if result and result.coverage)


def _fallback(state: Loop, run: AgentRun, why: str) -> Evidence:
    """Never empty-handed: what was asked, and a gap that says why no more is said."""
    seen = observations(state["messages"])
    task = task_of(state["messages"])
    about = ", ".join(task.entities[:3]) or task.title
    told = f"The {run.file.name} agent made {len(seen)} calls about {about} and did not conclude."
    return Evidence(run.file.name, run.by, told, gaps=(Gap(f"{run.file.name} agent's conclusion", why),))
