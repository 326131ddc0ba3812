"""agent: one branch of the fan-out. Whatever happens in it, its evidence or its gap comes back."""

import time
from dataclasses import replace

from langgraph.errors import NodeError
from langgraph.runtime import Runtime

from agents.react import AgentRun, investigate
from domain.codec import from_plain, to_plain
from domain.errors import FencedOff, RetryLater
from domain.evidence import Evidence, Gap
from domain.plan import Task
from graph.context import Work
from graph.state import Branch, Investigation


async def agent(state: Branch, runtime: Runtime[Work]) -> Investigation:
    """Run the loop for one task."""
    work, task = runtime.context, from_plain(Task, state["task"])
    work.notice("agent_started", task.agent)
    evidence = await investigate(task, _run(task, state["by"], work))
    work.notice("agent_done", f"{task.agent} {len(evidence.findings)} {len(evidence.gaps)}")
    return {"evidence": [to_plain(evidence)]}


def _run(task: Task, by: str, work: Work) -> AgentRun:
    file = work.agents[task.agent]
    return AgentRun(
        file=file,
        model=work.models[by][task.agent],
        by=by,
        hub=work.hub,
        caller=replace(work.caller, agent=task.agent),
        tools={name: work.registry[name] for name in sorted(work.grants[task.agent])},
        deadline=time.monotonic() + file.bounds.seconds,
        notice=work.notice,
        forced_conclusion=work.forced_conclusion,
    )


def agent_failed(state: Branch, error: NodeError) -> Investigation:
    """A branch that raised or ran out of time: its evidence is the gap. Pure, since it has no time-out of its own."""
    if isinstance(error.error, FencedOff | RetryLater):
        raise error.error  # not the agent's: the run ends, and is gone on with later or elsewhere
    name, said = state["task"]["agent"], f"{type(error.error).__name__}: {error.error}"
    gap = Gap(f"all that the {name} agent was to find out", said, "the other agents went on")
    return {"evidence": [to_plain(Evidence(name, state["by"], f"The {name} agent failed.", gaps=(gap,)))]}
