"""Decisions of the graph: pure functions of the state."""

from langgraph.types import Send

from graph.state import Branch, Investigation


def to_agents(state: Investigation) -> list[Send]:
    """One branch for each task of the plan."""
    return [Send("agent", Branch(task=task, by=state["by"])) for task in state["plan"]["tasks"]]
