"""The second look: at most one, at what tells two close causes apart, by those whose evidence speaks for them."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from domain.alert import Window
from domain.diagnosis import Diagnosis, Hypothesis, Verdict
from domain.evidence import Citation, Finding
from domain.plan import Plan, Task
from domain.runbook import Remedy, Runbook
from graph.context import Budget
from graph.second_look import CLOSE, MOST_AGENTS, second_look
from tests.graph.conftest import Pass

NOW = datetime(2026, 8, 18, 10, 22, tzinfo=UTC)
PLAN = Plan(tuple(
    Task(agent, "i1", "slow", (), ("service:web",), Window(NOW, NOW), "", "UTC", ("why?",), ())
    for agent in ("infra", "log", "metric", "runbook")
))  # fmt: skip
KNOWLEDGE = (Runbook("disk-full", "", "disk.full", "disk", "", checks=(Remedy("Look at df of {name}."),)),)


def of(fault: str, entity: str, score: float, *calls: str, **changed: Any) -> Hypothesis:
    finding = Finding(entity, fault, fault, tuple(Citation(call, quote="some words here") for call in calls))
    return replace(Hypothesis(entity, fault, fault, score, (finding,)), **changed)


FIRST = of("disk.full", "disk:/data", 1.0, "log.2", "infra.1")
RIVAL = of("load.anomaly", "service:web", 0.9, "metric.3")


def looked(*ranked: Hypothesis, verdict: Verdict = Verdict.ROOT_CAUSE) -> tuple[Task, ...]:
    return second_look(Diagnosis(verdict), ranked, PLAN, KNOWLEDGE, lambda call: call != "infra.1")


def test_two_close_causes_are_looked_at_again_by_those_who_hold_evidence_two_at_most() -> None:
    tasks = looked(FIRST, RIVAL)
    assert [task.agent for task in tasks] == ["infra", "log"]
    assert len(tasks) == MOST_AGENTS
    (question,) = tasks[1].questions
    for told in ("disk.full of disk:/data", "load.anomaly of service:web", "Look at df of /data.", "log.2 of yours"):
        assert told in question
    assert "infra.1" not in tasks[0].questions[0]  # no result of this pass
    assert tasks[0].entities[:2] == ("disk:/data", "service:web")


@pytest.mark.parametrize(
    ("ranked", "verdict"),
    [
        ((FIRST,), Verdict.ROOT_CAUSE),
        ((FIRST, replace(RIVAL, score=1.0 - CLOSE - 0.01)), Verdict.ROOT_CAUSE),
        ((FIRST, replace(RIVAL, terms={"symptom": -0.4})), Verdict.ROOT_CAUSE),
        ((FIRST, RIVAL), Verdict.HEALTHY),
        ((of("disk.full", "disk:/", 1.0), of("load.anomaly", "service:web", 0.9)), Verdict.UNDETERMINED),
        ((), Verdict.UNDETERMINED),
    ],
    ids=["alone", "far", "its own symptom", "healthy", "no evidence", "nothing"],
)
def test_there_is_no_second_look_where_it_could_turn_nothing(ranked: Any, verdict: Verdict) -> None:
    assert looked(*ranked, verdict=verdict) == ()


def found(kind: str, entity: str, quote: str, call: str) -> dict[str, Any]:
    return {"entity": entity, "kind": kind, "statement": f"{kind} it is", "severity": "error",
            "citations": [{"call_id": call, "quote": quote}]}  # fmt: skip


def search(pattern: str, number: int) -> AIMessage:
    call = {"name": "logs_search", "args": {"grep": pattern, "tail_n": 3}, "id": f"c{number}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


TORN = AIMessage(json.dumps({"conclusion": "One of two.", "findings": [
    found("database.lock_wait", "database:orders-db", "canceling statement due to lock timeout", "log.1"),
    found("database.slow_query", "service:orders-api", "canceling statement due to lock timeout", "log.1"),
]}))  # fmt: skip
DECIDED = AIMessage(json.dumps({"conclusion": "The lock.", "findings": [
    found("database.lock_wait", "database:orders-db", "canceling statement due to lock timeout", "log.2"),
]}))  # fmt: skip


def test_the_graph_takes_one_second_look_and_then_reports(model_pass: Pass) -> None:
    passed = model_pass({"log": [search("lock timeout", 1), TORN, search("lock timeout", 2), DECIDED]})
    log = passed.models["log"]
    asked = str(log.seen[2][1].content)
    assert "Two causes are close" in asked and "log.1 of yours" in asked
    assert [each["turn"] for each in log.callers] == [0, 1, 100, 101]
    assert [e["conclusion"] for e in passed.end["evidence"] if e["agent"] == "log"] == ["One of two.", "The lock."]
    calls = [entry.result.call_id for entry in passed.ledger.entries()]
    assert [call for call in calls if call.startswith(("log", "root_cause"))] == [
        "log.1", "log.2", "root_cause.1", "root_cause.2",
    ]  # fmt: skip
    assert passed.end["look"]["tasks"] == []
    assert passed.end["report"]


def test_without_time_left_there_is_no_second_look(model_pass: Pass) -> None:
    passed = model_pass({"log": [search("lock timeout", 1), TORN]}, budget=Budget(seconds=0.001))
    assert len(passed.models["log"].seen) <= 2
    assert passed.end["report"]


def test_a_cause_that_a_model_makes_up_changes_neither_verdict_nor_confidence(model_pass: Pass) -> None:
    invented = found("disk.full", "service:orders-api", "No space left on device, says nobody", "log.1")
    silent = model_pass({"log": [search("lock timeout", 1), AIMessage(json.dumps({"conclusion": "Nothing."}))]})
    for finding in (invented, {**invented, "citations": []}, {**invented, "citations": [{"call_id": "log.9"}]}):
        answer = AIMessage(json.dumps({"conclusion": "The disk is full.", "findings": [finding]}))
        passed = model_pass({"log": [search("lock timeout", 1), answer]})
        for key in ("verdict", "confidence", "hypotheses"):
            assert passed.end["diagnosis"][key] == silent.end["diagnosis"][key]
        told = passed.end["report"]["unverified"]
        assert any("disk.full it is" in each for each in told)
        assert any("The disk is full." in each for each in told)
