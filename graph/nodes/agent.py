"""agent: one branch of the fan-out. Whatever happens in it, its evidence or its gap comes back."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta
from typing import Final

from langgraph.errors import NodeError
from langgraph.runtime import Runtime

from agents.analyst import NAME as ANALYST
from agents.files import Bounds
from agents.react import AgentRun, investigate
from domain.codec import from_plain, to_plain
from domain.errors import FencedOff, RetryLater, TimeLimit
from domain.evidence import Evidence, Gap
from domain.plan import Task
from graph.context import Work
from graph.state import Branch, Investigation

SHARES: Final = {1: 0.6, 2: 0.2}  # of the tokens, by look; the rest is reserved for root_cause and report
RESERVED_SECONDS: Final = 0.1  # share of an investigation's time that is kept for root_cause and report
SECOND_TURN: Final = 100  # above all turns of a first look
SECOND_STEPS: Final = 3  # a named question needs a call or two
GRACE_SECONDS: Final = 75.0  # after its deadline, in which calls that were made come back


async def agent(state: Branch, runtime: Runtime[Work]) -> Investigation:
    """Run the loop for one task."""
    work, task = runtime.context, from_plain(Task, state["task"])
    run = _run(task, state, work)
    work.notice("agent_started", task.agent)
    evidence = await _within(max(0.0, run.deadline - time.monotonic()) + GRACE_SECONDS, task, run)
    work.notice("agent_done", f"{task.agent} {len(evidence.findings)} {len(evidence.gaps)}")
    return {"evidence": [to_plain(evidence)]}


async def _within(seconds: float, task: Task, run: AgentRun) -> Evidence:
    """The agent's evidence, or TimeLimit where it no longer keeps its own deadline."""
    try:
        async with asyncio.timeout(seconds):
            return await investigate(task, run)
    except TimeoutError as exc:
        raise TimeLimit(f"no evidence came within {seconds:.0f} s") from exc


def _run(task: Task, state: Branch, work: Work) -> AgentRun:
    file, by, look = work.agents[task.agent], state["by"], state.get("look", 1)
    bounds = file.bounds if look == 1 else file.bounds.model_copy(update={"steps": SECOND_STEPS})
    share = int(work.budget.tokens * SHARES[look]) // max(1, state.get("beside", 1))
    return AgentRun(
        file=replace(file, bounds=bounds),
        model=work.models[by][task.agent],
        by=by,
        hub=work.hub,
        caller=replace(work.caller, agent=task.agent),
        tools={name: work.registry[name] for name in sorted(work.grants[task.agent])},
        deadline=time.monotonic() + _seconds(bounds, by, work),
        notice=work.notice,
        forced_conclusion=work.forced_conclusion,
        knowledge=work.knowledge,
        investigation=work.investigation,
        first_turn=0 if look == 1 else SECOND_TURN,
        tokens=min(bounds.tokens, share),
        compaction=work.budget.compaction,
    )


def _seconds(bounds: Bounds, by: str, work: Work) -> float:
    """What the agent has; of a model's run never more than is left of the investigation's time."""
    return bounds.seconds if by == ANALYST else min(bounds.model_seconds, seconds_left(work))


def seconds_left(work: Work) -> float:
    """Until root_cause and report must have their turn."""
    end = work.started_at + timedelta(seconds=work.budget.seconds * (1 - RESERVED_SECONDS))
    return (end - work.clock()).total_seconds()


def agent_failed(state: Branch, error: NodeError) -> Investigation:
    """A branch that raised or ran out of time: its evidence is the gap. Pure, since it has no time-out of its own."""
    if isinstance(error.error, FencedOff | RetryLater):
        raise error.error  # not the agent's: the run ends, and is gone on with later or elsewhere
    name, said = state["task"]["agent"], f"{type(error.error).__name__}: {error.error}"
    gap = Gap(f"all that the {name} agent was to find out", said, "the other agents went on")
    return {"evidence": [to_plain(Evidence(name, state["by"], f"The {name} agent failed.", gaps=(gap,)))]}
