"""Decisions of the graph: pure functions of the state."""

from collections.abc import Sequence
from typing import Literal

from langgraph.types import Send

from domain.codec import Json
from graph.state import Branch, Investigation


def to_agents(state: Investigation) -> list[Send]:
    """One branch for each task of the plan."""
    return _branches(state, state["plan"]["tasks"], 1)


def after_root_cause(state: Investigation) -> list[Send] | Literal["report"]:
    """The second look, where root_cause asks for one; else the report."""
    return _branches(state, state["look"]["tasks"], 2) or "report"


def _branches(state: Investigation, tasks: Sequence[Json], look: int) -> list[Send]:
    return [Send("agent", Branch(task=task, by=state["by"], look=look, beside=len(tasks))) for task in tasks]
