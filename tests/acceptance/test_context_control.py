"""The three layers of context control, each on and off through the settings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from app.settings import Settings
from tests.acceptance.conftest import Make, Running

NeverDoneRun = Callable[..., tuple[Any, list[bool]]]
LINE = "2026-03-01T11:{m:02d}:{s:02d}Z ERROR payments: ledger {w} went away after {w} tries, code {w}\n"
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet")


@pytest.fixture
def noisy(make: Make) -> Path:
    """A bundle with more distinct series and lines than a default shows."""
    series = "timestamp,entity,metric,value\n" + "".join(
        f"2026-03-01T{at}Z,service:s{n},cpu_of_a_long_named_service,{(n % 7) + (80 if late else 0) + int(at[4])}\n"
        for late, times in ((0, [f"11:{m:02d}:00" for m in range(60)]), (1, ["12:00:00", "12:01:00", "12:02:00"]))
        for at in times
        for n in range(150)
    )
    lines = "".join(LINE.format(m=n // 60, s=n % 60, w=WORDS[n % 10]) for n in range(3000))
    return make({"metrics/metrics.csv": series, "logs/app.log": lines})


def entry(outcome: Any, tool: str) -> Any:
    """The first call of a tool."""
    return next(each for each in outcome.entries if each.result.tool == tool)


class NeverDone:
    """A model that always asks for one more call and concludes only when no tools are bound."""

    def __init__(self, bound: list[bool]) -> None:
        self.bound = bound

    def bind_tools(self, tools: list[Any]) -> "_Bound":
        """The same model with tools."""
        assert tools
        return _Bound(self)

    async def ainvoke(self, messages: list[Any]) -> AIMessage:
        """The call without tools."""
        self.bound.append(False)
        told = {"agent": "log", "by": "model", "conclusion": "Forced: the ledger went away."}
        return AIMessage(json.dumps(told))


class _Bound:
    def __init__(self, of: NeverDone) -> None:
        self._of = of

    async def ainvoke(self, messages: list[Any]) -> AIMessage:
        """One more call."""
        self._of.bound.append(True)
        number = len(self._of.bound)
        call = {"name": "logs_search", "args": {}, "id": f"call-{number}", "type": "tool_call"}
        return AIMessage("", tool_calls=[call])


@pytest.fixture
def never_done(noisy: Path, running: Running, monkeypatch: pytest.MonkeyPatch) -> NeverDoneRun:
    """A replay with such a model as log agent: its outcome, and which of the model's calls had tools bound."""

    def run(**settings: Any) -> tuple[Any, list[bool]]:
        model = NeverDone([])
        monkeypatch.setitem(running.house(**settings).analysts, "log", model)
        return running.replay(noisy, **settings), model.bound

    return run


def evidence_of(outcome: Any) -> Any:
    """What the log agent handed back."""
    return next(each for each in outcome.report.evidence if each.agent == "log")


def test_source_filters_limit_what_the_source_returns(never_done: NeverDoneRun) -> None:
    kept = entry(never_done()[0], "logs_search").result
    whole = entry(never_done(source_filters=False)[0], "logs_search").result
    assert (len(kept.data["lines"]), len(whole.data["lines"])) == (50, 500)
    assert kept.coverage.truncated and kept.coverage.matched == whole.coverage.matched == 3000


def test_views_and_budgets_shorten_what_an_agent_sees_and_nothing_of_what_is_kept(
    noisy: Path, running: Running
) -> None:
    on = running.replay(noisy, result_chars=2000)
    off = running.replay(noisy, result_chars=2000, views_and_budgets=False)
    assert all(len(each.result.text) <= 2000 for each in on.entries)
    assert max(len(each.result.text) for each in off.entries) > 20_000
    cut, whole = entry(on, "metrics_anomalies").result, entry(off, "metrics_anomalies").result
    assert cut.truncated and not whole.truncated
    assert f"{cut.call_id}" in cut.text and cut.sha256 == whole.sha256
    assert on.document["root_cause"] == off.document["root_cause"]


def test_at_its_limit_an_agent_makes_one_call_without_tools_and_concludes(
    running: Running, never_done: NeverDoneRun
) -> None:
    outcome, bound = never_done()
    assert bound == [True] * running.house().agents["log"].bounds.steps + [False]
    assert evidence_of(outcome).conclusion == "Forced: the ledger went away."
    assert "limit was reached" in evidence_of(outcome).gaps[-1].why


def test_with_the_forced_conclusion_off_what_was_asked_and_why_it_ended_is_handed_back(
    never_done: NeverDoneRun,
) -> None:
    outcome, bound = never_done(forced_conclusion=False)
    assert False not in bound and bound
    assert "did not conclude" in evidence_of(outcome).conclusion and evidence_of(outcome).gaps


@pytest.mark.parametrize("name", ["source_filters", "views_and_budgets", "forced_conclusion"])
def test_each_layer_has_its_switch_in_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert getattr(Settings(), name) is True
    monkeypatch.setenv(f"FISHBONE_{name.upper()}", "false")
    assert getattr(Settings(), name) is False
