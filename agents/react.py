"""One ReAct loop for every agent: think, act, conclude. It always ends with Evidence, also at a limit."""

import logging
import time
from dataclasses import replace
from typing import Any, Final, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from agents.analyst import NAME as ANALYST
from agents.answer import read_answer
from agents.ask import affordable, ask
from agents.breaker import stuck
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
from agents.offered import filled, openai_tool
from agents.run import AgentRun as AgentRun
from agents.run import Loop
from domain.codec import from_plain, to_plain
from domain.errors import FencedOff, FishboneError, StoreUnavailable, TimeLimit
from domain.evidence import Evidence, Gap
from domain.plan import Task
from tools.hub import Ask

log = logging.getLogger(__name__)
ANSWER_NOW: Final = "No more tools are available{why}. Conclude now, with what you have seen, as one JSON object."
AT_LIMIT: Final = "its step or time limit was reached"


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
    return "" if affordable(state["messages"], voice, state["spent"]) else "its tokens or its window hold no more calls"


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
    return read_answer(said(message), run.bench(state["messages"]))


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
