"""When the metric tactic tells of a noisy neighbour."""

from agents.offline.metric_neighbours import neighbours
from domain.evidence import Finding
from domain.results import Edge, Searched, SeriesSummaries, SeriesSummary

EDGES = [Edge("shop", "search")]


def series(
    entity: str, metric: str, before: float, after: float, kind: str = "cpu", score: float = 40.0
) -> SeriesSummary:
    return SeriesSummary(
        entity, metric, 60, before, before, max(before, after), after, before, after, score, "up", None, kind, "m.csv"
    )


NODE = series("worker-3", "node_cpu_utilization_ratio", 0.4, 0.97)
EXPORT = series("nightly-export", "container_cpu_usage_cores", 0.2, 6.0)


def told(*found: SeriesSummary, machines: frozenset[str] = frozenset()) -> list[Finding]:
    return list(neighbours(("service:search",), SeriesSummaries(found, Searched("m.csv")), EDGES, machines, "metric.1"))


def test_a_stranger_that_takes_more_while_the_node_fills_up_is_named_with_the_node() -> None:
    (found,) = told(EXPORT, NODE)
    assert (found.entity, found.kind) == ("service:nightly-export", "cpu.noisy_neighbour")
    assert "from 0.2 to 6" in found.statement and "worker-3" in found.statement
    assert found.captures == {"victim": "search", "node": "worker-3"}
    assert [(each.path, each.value) for each in found.citations] == [
        ("/series/0/median_after", 6.0),
        ("/series/1/median_after", 0.97),
    ]


def test_a_machine_is_known_by_what_runs_on_it_as_well() -> None:
    busy = series("worker-3", "cpu_percent", 30, 96)
    assert told(EXPORT, busy) == []
    assert len(told(EXPORT, busy, machines=frozenset({"worker-3"}))) == 1


def test_a_node_with_room_left_starves_nobody() -> None:
    assert told(EXPORT, series("worker-3", "node_cpu_utilization_ratio", 0.1, 0.5)) == []


def test_who_takes_part_in_serving_is_no_stranger() -> None:
    assert told(series("search", "container_cpu_usage_cores", 1, 6), NODE) == []
    assert told(series("shop", "container_cpu_usage_cores", 1, 6), NODE) == []


def test_a_little_more_than_before_does_not_fill_a_machine() -> None:
    assert told(series("nightly-export", "container_cpu_usage_cores", 2.0, 2.6), NODE) == []
