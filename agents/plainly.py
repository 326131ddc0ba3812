"""The tactic of an agent that has none of its own: call each candidate tool once, then conclude."""

from agents.tactic import Call, Knowledge, Observation, ToolCalls
from domain.evidence import Evidence, Gap
from domain.plan import Task


def step(task: Task, observations: tuple[Observation, ...], knowledge: Knowledge) -> ToolCalls | Evidence:  # noqa: ARG001
    """One call a tool without arguments, in the order of the task; then what answered and what did not."""
    if not observations and task.tools:
        return ToolCalls(tuple(Call(tool) for tool in task.tools))
    gaps = tuple(Gap(o.tool, o.error or o.status) for o in observations if o.status not in ("ok", "no_data"))
    answered = [o.tool for o in observations if o.status == "ok"]
    told = f"{len(answered)} of {len(observations)} tools answered with data: {', '.join(answered) or 'none'}."
    return Evidence(task.agent, "analyst", told, gaps=gaps)
