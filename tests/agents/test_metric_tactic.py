"""The metric tactic over the real servers of a recorded incident."""

from pathlib import Path
from typing import Any

from agents.offline.metric import step
from agents.tactic import Observation, ToolCalls
from alerts import receive
from bundle.bundle import Bundle
from domain.evidence import Evidence
from domain.plan import Task
from mcp_servers.metrics import metrics
from mcp_servers.recorded.metrics import RecordedMetrics
from mcp_servers.recorded.topology import RecordedTopology
from mcp_servers.recorded.traces import RecordedTraces
from mcp_servers.topology import topology
from mcp_servers.traces import traces
from tests.mcp_servers.evidence_bundle import ask, stamp, table, written

TOPOLOGY = "edges: [{from: web, to: api}, {from: api, to: db}]"
SLOW = {("web", "latency_avg"): (0.1, 0.9), ("api", "latency_avg"): (0.05, 0.8), ("db", "cpu_pct"): (9.0, 9.0)}


async def concluded(bundle: Bundle) -> tuple[Evidence, dict[str, Any]]:
    """The evidence, and what each call returned."""
    servers = {
        "metrics": metrics(RecordedMetrics(bundle)),
        "traces": traces(RecordedTraces(bundle)),
        "topology": topology(RecordedTopology(bundle)),
    }
    alerts = receive(bundle.alert, bundle.now).alerts
    task = Task("metric", "b1", bundle.title, alerts, ("service:web",), bundle.window, stamp(0), "UTC", (), ())
    asked = step(task, (), ())
    assert isinstance(asked, ToolCalls)
    data = {
        f"metric.{number}": (call, await ask(servers[call.tool.partition("_")[0]], call.tool, **call.arguments))
        for number, call in enumerate(asked.calls, 1)
    }
    seen = tuple(Observation(id, call.tool, call.arguments, "ok", found) for id, (call, found) in data.items())
    evidence = step(task, seen, ())
    assert isinstance(evidence, Evidence)
    return evidence, {id: found for id, (_, found) in data.items()}


async def test_the_last_that_suffers_is_the_heaviest_finding_and_names_its_numbers(tmp_path: Path) -> None:
    evidence, _ = await concluded(written(tmp_path, {"metrics/m.csv": table(SLOW), "topology.yaml": TOPOLOGY}))
    first = max(evidence.findings, key=lambda finding: finding.weight)
    assert (first.entity, first.kind) == ("service:api", "trace.slow")
    assert "latency_avg rose from 0.05" in first.statement and "times" in first.statement
    assert first.onset is not None and first.resolution_seconds == 60.0 and first.score > 50
    assert "api" in evidence.conclusion
    assert [(edge.caller, edge.callee) for edge in evidence.edges] == [("api", "db"), ("web", "api")]


async def test_a_processor_that_jumped_is_named_as_a_fault(tmp_path: Path) -> None:
    busy = SLOW | {("db", "cpu_pct"): (9.0, 97.0)}
    evidence, _ = await concluded(written(tmp_path, {"metrics/m.csv": table(busy), "topology.yaml": TOPOLOGY}))
    assert (evidence.findings[0].entity, evidence.findings[0].kind) == ("service:db", "cpu.saturation")


async def test_every_citation_points_at_the_value_that_stands_in_its_result(tmp_path: Path) -> None:
    busy = SLOW | {("web", "rps"): (10.0, 60.0)}
    evidence, results = await concluded(written(tmp_path, {"metrics/m.csv": table(busy), "topology.yaml": TOPOLOGY}))
    assert {finding.kind for finding in evidence.findings} >= {"trace.slow", "load.surge"}
    for citation in (each for finding in evidence.findings for each in finding.citations):
        at: Any = results[citation.call_id]
        for part in (citation.path or "").strip("/").split("/"):
            at = at[int(part)] if isinstance(at, list) else at[part]
        assert at == citation.value


async def test_nothing_that_changed_is_said_and_is_no_finding(tmp_path: Path) -> None:
    evidence, _ = await concluded(written(tmp_path, {"metrics/m.csv": table({("web", "latency_avg"): (0.1, 0.1)})}))
    assert evidence.findings == () and "changed" in evidence.conclusion


async def test_a_tool_that_failed_and_a_source_that_could_not_be_read_are_gaps(tmp_path: Path) -> None:
    bundle = written(tmp_path, {"metrics/m.csv": "a,b\n1,2\n"})
    evidence, _ = await concluded(bundle)
    assert any("no column timestamp" in gap.why for gap in evidence.gaps)
    task = Task("metric", "b1", "", (), (), bundle.window, stamp(0), "UTC", (), ())
    away = step(task, (Observation("metric.1", "metrics_anomalies", {}, "unavailable", None, "no route"),), ())
    assert isinstance(away, Evidence) and [(gap.what, gap.why) for gap in away.gaps] == [
        ("metrics_anomalies", "no route")
    ]
