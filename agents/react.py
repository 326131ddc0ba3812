"""One ReAct loop for every agent: model, tools, conclude. It always ends with Evidence, also at a limit."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from agents.files import AgentFile
from agents.messages import observations, opening, parse_conclusion, task_of, tool_message
from domain.codec import from_plain, to_plain
from domain.errors import FishboneError
from domain.evidence import Evidence, Gap
from domain.plan import Task
from domain.tool import Caller, ToolSpec
from tools.hub import Ask, Hub

log = logging.getLogger(__name__)
ANSWER_NOW: Final = "No more tools are available. Conclude now, with what you have seen, as one JSON object."


class Loop(TypedDict):
    """What one agent sees: its own messages, and how many model calls it has made."""

    messages: Annotated[list[AnyMessage], add_messages]
    steps: int
    made: int  # calls the agent had made before this run of the loop
    closing: bool  # the last call, with no tools bound, was made
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


async def think(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Ask the model for its next calls or its conclusion; at a limit, once more with no tools bound."""
    run = runtime.context
    last = at_limit(state, run)
    if last and not run.forced_conclusion:
        return {"closing": True, "evidence": to_plain(_fallback(state, run, "its limit was reached"))}
    messages = [*state["messages"], HumanMessage(ANSWER_NOW)] if last else state["messages"]
    model = run.model if last else run.model.bind_tools([openai_tool(spec) for spec in run.tools.values()])
    try:
        answer = await model.ainvoke(messages)
    except FishboneError as exc:
        log.warning("%s: the model gave no answer: %s", run.file.name, exc)
        return {"closing": last, "evidence": to_plain(_fallback(state, run, str(exc)))}
    return {"messages": [answer], "steps": state["steps"] + 1, "closing": last}


async def act(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Make the calls side by side through the hub."""
    run, asked = runtime.context, _last(state).tool_calls
    answered = sum(isinstance(message, ToolMessage) for message in state["messages"])
    run.hub.ledger.rewind(run.file.name, state["made"] + answered)  # where a lost worker was cut off in these calls
    for call in asked:
        run.notice("tool_called", f"{run.file.name} {call['name']}")
    results = await run.hub.turn(run.caller, [Ask(call["name"], call["args"]) for call in asked])
    answers = [tool_message(result) for result in results]
    return {"messages": [_answering(message, call["id"]) for message, call in zip(answers, asked, strict=True)]}


async def conclude(state: Loop, runtime: Runtime[AgentRun]) -> dict[str, Any]:
    """Evidence out of the last message, or what can be said without it."""
    run = runtime.context
    found = state.get("evidence")
    read: Evidence | str = from_plain(Evidence, found) if found else parse_conclusion(_last(state))
    if isinstance(read, str):
        log.warning("%s: forced conclusion failed: %s", run.file.name, read)
        read = _fallback(state, run, read)
    if state["closing"]:
        log.warning("%s concluded at its limit, after %d model calls", run.file.name, state["steps"])
        read = replace(read, gaps=(*read.gaps, Gap(f"{run.file.name} agent", "its step or time limit was reached")))
    return {"evidence": to_plain(replace(read, agent=run.file.name, by=run.by, coverage=_coverage(state, run)))}


def after_thinking(state: Loop) -> Literal["act", "conclude"]:
    """Calls are made only while tools are bound; a model that asks for more concludes all the same."""
    if state.get("evidence") or state["closing"]:
        return "conclude"
    return "act" if _last(state).tool_calls else "conclude"


def at_limit(state: Loop, run: AgentRun) -> bool:
    """Whether this model call is the last one, made with no tools bound."""
    return state["steps"] >= run.file.bounds.steps or time.monotonic() >= run.deadline


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
        "messages": opening(run.file.prompt, task), "steps": 0, "made": run.hub.ledger.made(run.file.name),
        "closing": False, "evidence": None,
    }  # fmt: skip
    limit = 2 * run.file.bounds.steps + 10
    end = await LOOP.ainvoke(start, {"recursion_limit": limit}, context=run)
    return from_plain(Evidence, end["evidence"])


def openai_tool(spec: ToolSpec) -> dict[str, Any]:
    """The tool in the form that chat-completions servers take."""
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.input_schema},
    }


def _last(state: Loop) -> AIMessage:
    return next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))


def _answering(message: ToolMessage, call_id: str | None) -> ToolMessage:
    return message.model_copy(update={"tool_call_id": call_id or message.tool_call_id})


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
