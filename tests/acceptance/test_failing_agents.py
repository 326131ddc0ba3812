"""Whatever breaks inside an agent or a server, a report comes out and says so."""

import pytest

from domain.errors import ModelFailed
from tests.acceptance.conftest import SHIPPED, Running
from tests.acceptance.test_truth import INCIDENT


class Broken:
    """A model that raises."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def bind_tools(self, tools: list[object]) -> "Broken":
        """The same."""
        return self

    async def ainvoke(self, messages: list[object]) -> None:
        """Fails."""
        raise self._error


@pytest.mark.parametrize(
    "error", [ValueError("a fault of ours"), ModelFailed("connection", "no answer")], ids=["bug", "model"]
)
def test_an_agent_that_fails_is_a_gap_and_the_others_find_the_cause(
    error: Exception, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(running.house().analysts, "metric", Broken(error))
    report = running.replay(SHIPPED / INCIDENT).document
    assert {each["agent"] for each in report["evidence"]} == {"log", "metric", "infra", "runbook"}
    assert report["root_cause"]["fault"] == "memory.oom_kill"
    assert [gap for gap in report["gaps"] if "metric" in gap["what"] and str(error) in gap["why"]]


def test_a_server_that_fails_is_a_gap_and_the_others_find_the_cause(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object) -> None:
        raise RuntimeError("the disk went away")

    monkeypatch.setattr("mcp_servers.recorded.metrics.RecordedMetrics.gather", broken)
    report = running.replay(SHIPPED / INCIDENT).document
    assert report["root_cause"]["fault"] == "memory.oom_kill"
    assert [gap for gap in report["gaps"] if "metrics_" in gap["what"]]
    statuses = {row["status"] for row in report["coverage"] if row["call_id"].startswith("metric.1")}
    assert statuses == {"unavailable"}
