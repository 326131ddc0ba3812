"""The fan-out: one branch for each agent; one that fails leaves a gap and the others go on."""

from typing import Any

from langgraph.errors import NodeError

from domain.codec import from_plain
from domain.evidence import Evidence
from graph.build import build_graph
from graph.nodes.agent import agent_failed
from graph.route import after_root_cause, to_agents

TASKS = [{"agent": name, "title": "orders are slow"} for name in ("log", "metric", "infra", "runbook")]


def test_each_task_of_the_plan_has_a_branch_of_its_own() -> None:
    branches = to_agents({"plan": {"tasks": TASKS}, "by": "analyst"})
    assert [branch.node for branch in branches] == ["agent"] * 4
    assert [branch.arg["task"]["agent"] for branch in branches] == ["log", "metric", "infra", "runbook"]
    assert {branch.arg["by"] for branch in branches} == {"analyst"}
    assert {(branch.arg["look"], branch.arg["beside"]) for branch in branches} == {(1, 4)}


def test_after_root_cause_comes_the_report_or_the_second_look_it_asks_for() -> None:
    assert after_root_cause({"look": {"tasks": [], "calls": 1}, "by": "m"}) == "report"
    (branch,) = after_root_cause({"look": {"tasks": TASKS[:1], "calls": 1}, "by": "m"})
    assert (branch.node, branch.arg) == ("agent", {"task": TASKS[0], "by": "m", "look": 2, "beside": 1})


def test_a_branch_that_raised_hands_back_a_gap_that_names_the_error() -> None:
    error: Any = NodeError(node="agent", error=TimeoutError("120 s"))
    (plain,) = agent_failed({"task": TASKS[0], "by": "analyst", "look": 1, "beside": 4}, error)["evidence"]
    evidence = from_plain(Evidence, plain)
    assert (evidence.agent, evidence.by, evidence.findings) == ("log", "analyst", ())
    assert "TimeoutError: 120 s" in evidence.gaps[0].why


def test_the_graph_is_the_picture() -> None:
    drawn = build_graph().get_graph()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert edges == {
        ("__start__", "plan"), ("plan", "agent"), ("agent", "root_cause"), ("root_cause", "agent"),
        ("root_cause", "report"), ("report", "__end__"),
    }  # fmt: skip
