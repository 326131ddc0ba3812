"""The metrics server over recorded files, asked through a real session."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer

from bundle.bundle import Bundle
from mcp_servers.metrics import metrics
from mcp_servers.recorded.metrics import RecordedMetrics
from tests.mcp_servers.evidence_bundle import ask, stamp, table, written

USUAL = {("web", "latency_avg"): (0.1, 0.9), ("web", "rps"): (50.0, 50.0), ("web-2", "cpu_pct"): (10.0, 10.0)}


def server(bundle: Bundle) -> MCPServer:
    return metrics(RecordedMetrics(bundle))


async def test_the_series_that_changed_comes_first_with_values_before_and_after(tmp_path: Path) -> None:
    found = await ask(
        server(written(tmp_path, {"metrics/m.csv.gz": table(USUAL)})), "metrics_anomalies", moment=stamp(0)
    )
    first = found["series"][0]
    assert (first["entity"], first["metric"], first["kind"], first["direction"]) == (
        "web",
        "latency_avg",
        "latency",
        "up",
    )
    assert 0.09 < first["median_before"] < 0.11 < 0.8 < first["median_after"] < 1.0
    assert first["onset"].startswith("2026-01-01T11:58")
    assert found["searched"]["matched"] == 3 and not found["searched"]["truncated"]


async def test_top_limits_what_is_returned_and_says_so(tmp_path: Path) -> None:
    asked = server(written(tmp_path, {"metrics/m.csv": table(USUAL)}))
    found = await ask(asked, "metrics_anomalies", moment=stamp(0), top=1)
    assert len(found["series"]) == 1 and found["searched"]["truncated"]


async def test_a_summary_takes_the_whole_name_before_a_part_of_it_and_any_kind_before_it(tmp_path: Path) -> None:
    asked = server(written(tmp_path, {"metrics/m.csv": table(USUAL)}))
    whole = await ask(asked, "metrics_summary", moment=stamp(0), entity="service:web")
    part = await ask(asked, "metrics_summary", moment=stamp(0), entity="WE", metric="cpu")
    assert {one["entity"] for one in whole["series"]} == {"web"}
    assert [one["metric"] for one in part["series"]] == ["cpu_pct"]


async def test_samples_later_than_now_are_withheld_and_counted(tmp_path: Path) -> None:
    late = table(USUAL) + f"{stamp(30)},web,latency_avg,99\n"
    found = await ask(
        server(written(tmp_path, {"metrics/m.csv": late})), "metrics_list", entity="web", metric="latency"
    )
    assert found["searched"]["after_window"] == 1 and found["series"][0]["points"] == 65


async def test_what_cannot_be_read_is_counted_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = f"timestamp,entity,metric,value\n{stamp(-3)},web,rps,1\n{stamp(-2)},web,rps,NaN\n{stamp(-1)},web,rps,\n"
    text += f"{stamp(0)},web,rps,many\nyesterday,web,rps,5\n{stamp(1)},web\n1767268800,web,rps,7\n"
    found = await ask(server(written(tmp_path, {"metrics/m.csv": text})), "metrics_range", entity="web", metric="rps")
    assert found["points"] == [[stamp(-3), 1.0], [stamp(0), 7.0]]
    assert len(found["searched"]["problems"]) == 4


async def test_a_file_without_the_columns_is_a_problem_and_no_metrics_are_an_answer(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    odd = await ask(server(written(tmp_path / "a", {"metrics/m.csv": "a,b\n1,2\n"})), "metrics_list")
    none = await ask(server(written(tmp_path / "b", {})), "metrics_anomalies", moment=stamp(0))
    assert "no column timestamp" in odd["searched"]["problems"][0]
    assert none["series"] == [] and none["searched"]["source"] == "no metrics in this bundle"


async def test_a_range_is_cut_to_its_span_and_thinned_evenly(tmp_path: Path) -> None:
    asked = server(written(tmp_path, {"metrics/m.csv": table(USUAL)}))
    named = {"entity": "web", "metric": "rps"}
    cut = await ask(asked, "metrics_range", **named, since=stamp(-10), until=stamp(-5))
    thin = await ask(asked, "metrics_range", **named, max_points=5)
    assert [point[0] for point in cut["points"]] == [stamp(minute) for minute in range(-10, -4)]
    assert len(thin["points"]) == 5 and thin["points"][-1][0] == stamp(4) and thin["searched"]["truncated"]
