"""The graph, as in the picture: plan -> four agents side by side -> root_cause -> report; one second look."""

from typing import Any, Final

from langgraph.graph import END, START, StateGraph
from langgraph.types import TimeoutPolicy

from graph.context import Work
from graph.nodes.agent import agent, agent_failed
from graph.nodes.plan import plan
from graph.nodes.report import report
from graph.nodes.root_cause import root_cause
from graph.route import after_root_cause, to_agents
from graph.state import Branch, Investigation

BRANCH_SECONDS: Final = 4000.0  # above all that an agent's file may allow: the node itself keeps the agent's own


def build_graph(checkpointer: Any = None) -> Any:
    """The compiled graph; workers give a checkpointer, replay runs without."""
    graph = StateGraph(Investigation, context_schema=Work)
    graph.add_node("plan", plan)
    graph.add_node(
        "agent",
        agent,
        input_schema=Branch,
        timeout=TimeoutPolicy(run_timeout=BRANCH_SECONDS),
        error_handler=agent_failed,
    )
    graph.add_node("root_cause", root_cause, defer=True)
    graph.add_node("report", report)

    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", to_agents, ["agent"])
    graph.add_edge("agent", "root_cause")
    graph.add_conditional_edges("root_cause", after_root_cause, ["agent", "report"])
    graph.add_edge("report", END)
    return graph.compile(checkpointer=checkpointer)
