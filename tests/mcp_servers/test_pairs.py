"""One suite over each pair: a live source and a recorded one offer the same tools, schemas and result types."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from app.live import evidence_servers as live_servers
from app.settings import load_settings
from app.sources import evidence_servers as recorded_servers
from domain.alert import Window
from domain.codec import from_plain, to_plain
from domain.results import (
    Changes,
    Facts,
    Lines,
    SeriesList,
    SeriesPoints,
    SeriesSummaries,
    SignatureHits,
    Templates,
    TextSources,
    Topology,
    TraceEdges,
)
from mcp_servers.live.watch import Watch
from tests.mcp_servers.infra_bundle import infra_bundle

NOW = datetime.now(UTC)
MOMENT = NOW.isoformat()
CALLS: dict[str, tuple[str, type, dict[str, Any]]] = {
    "logs_list": ("logs", TextSources, {}),
    "logs_search": ("logs", Lines, {"grep": "x"}),
    "logs_match": ("logs", SignatureHits, {"signatures": [{"id": "a", "pattern": "x"}]}),
    "logs_templates": ("logs", Templates, {}),
    "logs_novel": ("logs", Templates, {"moment": MOMENT}),
    "metrics_list": ("metrics", SeriesList, {}),
    "metrics_summary": ("metrics", SeriesSummaries, {"moment": MOMENT}),
    "metrics_anomalies": ("metrics", SeriesSummaries, {"moment": MOMENT}),
    "metrics_range": ("metrics", SeriesPoints, {"entity": "a", "metric": "b"}),
    "traces_edges": ("traces", TraceEdges, {"moment": MOMENT}),
    "topology_edges": ("topology", Topology, {}),
    "containers_list": ("containers", Facts, {}),
    "containers_inspect": ("containers", Facts, {"name": "nobody"}),
    "containers_events": ("containers", Facts, {}),
    "containers_stats": ("containers", Facts, {}),
    "host_snapshot": ("host", Facts, {"kinds": ["memory"]}),
    "network_probes": ("network", Facts, {"targets": ["db:5432"]}),
    "changes_before": ("changes", Changes, {"moment": MOMENT}),
    "changes_diff": ("changes", Lines, {"change": "nothing"}),
}
AREAS = sorted({area for area, _, _ in CALLS.values()})
Make = Callable[[Path], dict[str, Any]]


def live(folder: Path) -> dict[str, Any]:
    (folder / "app.log").write_text(f"{MOMENT} ERROR x\n")
    settings = load_settings(docker_host="unix:///nonexistent.sock", log_globs=f"{folder}/*.log", journal="off")
    return dict(live_servers(settings, Watch("vm1", window=Window(NOW - timedelta(hours=1), NOW))))


def recorded(folder: Path) -> dict[str, Any]:
    return dict(recorded_servers(infra_bundle(folder)))


async def offered(servers: dict[str, Any], area: str) -> dict[str, Any]:
    async with Client(servers[area]) as client:
        tools = (await client.list_tools()).tools
    return {t.name: (t.description, t.input_schema, t.output_schema, t.meta, t.annotations) for t in tools}


@pytest.mark.parametrize("area", AREAS)
async def test_both_sides_offer_the_same_tools_and_every_tool_is_in_this_suite(area: str, tmp_path: Path) -> None:
    ours, theirs = await offered(live(tmp_path / ""), area), await offered(recorded(tmp_path / "b"), area)
    assert ours == theirs
    assert set(ours) == {tool for tool, (of, _, _) in CALLS.items() if of == area}


@pytest.mark.parametrize("side", [live, recorded])
@pytest.mark.parametrize("tool", CALLS)
async def test_each_answer_is_of_the_same_type_and_says_what_was_searched(
    tool: str, side: Make, tmp_path: Path
) -> None:
    area, of, arguments = CALLS[tool]
    async with Client(side(tmp_path)[area]) as client:
        answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    result: Any = from_plain(of, answer.structured_content)
    assert to_plain(result) == answer.structured_content
    assert result.searched.source
    assert result.searched.returned <= result.searched.matched or not result.searched.matched


@pytest.mark.parametrize("tool", [tool for tool, (area, _, _) in CALLS.items() if area == "containers"])
async def test_a_missing_engine_is_a_problem_of_the_answer(tool: str, tmp_path: Path) -> None:
    async with Client(live(tmp_path)["containers"]) as client:
        answer = await client.call_tool(tool, CALLS[tool][2])
    assert answer.structured_content["facts"] == []
    assert any(
        "nonexistent.sock" in problem or "docker" in problem
        for problem in answer.structured_content["searched"]["problems"]
    )
