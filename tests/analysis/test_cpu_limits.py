"""A pod that takes all the processor time its limit allows, and how throttling is read from Prometheus."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.joins.cpu_limits import joined
from analysis.lines.timestamps import Clock
from tests.analysis.joining import case, fact


def used(percent: float, limit: float | None, containers: int = 1) -> list[tuple[object, object]]:
    told = [
        fact("container", f"container:c{at}", pod="web-1", image="web:1", cpu_limit=limit) for at in range(containers)
    ]
    usage = fact("container", "pod:web-1", pod="web-1", cpu_percent=percent)
    return [(t.fact.attributes["value"], t.fact.attributes["unit"]) for t in joined(case([*told, usage]))]


def test_usage_at_the_limit() -> None:
    assert used(20, 0.2) == [(100, "0.2 cores")]


def test_room_no_limit_or_several_containers() -> None:
    assert used(12, 0.2) == used(250, None) == used(19.9, 0.2, containers=2) == []


QUERY = (
    "sum(rate(container_cpu_cfs_throttled_periods_total[5m])) by (pod) / sum(rate(container_cpu_cfs_periods_total[5m]))"
)
ANSWER = """# execute_prometheus_range_query {"query": "QUERY"}
{"status": "success", "data": {"resultType": "matrix", "result": [
  {"metric": {"pod": "web-1", "container": "web"}, "values": [[1760510400, "0.9"], [1760511300, "0.95"]]}]}}
"""


def throttled(query: str) -> list[object]:
    clock = Clock(datetime(2026, 1, 1, tzinfo=UTC))
    facts = facts_of("artifacts/q.txt", ANSWER.replace("QUERY", query), clock)
    return [f.attributes["throttled_percent"] for f in facts if f.kind == "cpu" and f.entity == "pod:web-1"]


def test_the_share_of_throttled_periods_is_a_fact_of_the_pod() -> None:
    assert throttled(QUERY) == [95.0]
    assert throttled("rate(container_cpu_usage_seconds_total[5m])") == []
