"""When the metric tactic says that nothing moved."""

from agents.offline.metric_steady import steady
from domain.results import SeriesSummary


def series(metric: str, kind: str, before: float, after: float, score: float, span: float = 0.0) -> SeriesSummary:
    low, high = min(before, after), max(before, after) + span
    return SeriesSummary("web", metric, 20, low, after, high, after, before, after, score, "", None, kind, "m.csv")


QUIET = [series("error_ratio", "error", 0.0, 0.0, 0.0), series("latency_p95_ms", "latency", 12.0, 11.0, -0.4)]


def is_steady(*more: SeriesSummary) -> bool:
    return bool(list(steady("service:web", (*QUIET, *more), "metric.1")))


def test_many_sigmas_of_next_to_nothing_do_not_spoil_an_all_clear() -> None:
    assert is_steady(
        series("connected_clients", "saturation", 1.0, 1.5, 50.0),
        series("cpu_percent", "cpu", 0.6, 0.4, -33.0),
        series("memory_rss_bytes", "memory", 3.5e6, 2.6e6, -21.0, span=1.1e7),
        series("requests", "traffic", 19.0, 22.0, 4.1),
    )


def test_no_all_clear_where_something_moved() -> None:
    assert not is_steady(series("connected_clients", "saturation", 4.0, 60.0, 50.0))
    assert not is_steady(series("latency_p99_ms", "latency", 20.0, 900.0, 30.0))
    assert not is_steady(series("requests", "traffic", 20.0, 1.0, -9.0))
    assert not is_steady(series("error_ratio", "error", 0.0, 0.2, 9.0))


def test_no_all_clear_where_the_level_is_another_however_few_sigmas_that_is() -> None:
    assert not is_steady(series("latency_p95_ms", "latency", 68.0, 4016.0, 1.6))
    assert not is_steady(series("latency_p95_ms", "latency", 4016.0, 68.0, -1.6))
    assert not is_steady(series("error_ratio", "error", 0.0, 0.3, 1.5))


def test_no_all_clear_where_something_stands_high_or_came_down_long_before() -> None:
    assert not is_steady(series("disk_used_percent", "disk", 96.0, 96.0, 0.0))
    assert not is_steady(series("latency_p99_ms", "latency", 20.0, 20.0, 0.0, span=2000.0))


def test_the_all_clear_tells_which_kinds_of_signal_it_rests_on() -> None:
    (found,) = steady("service:web", tuple(QUIET), "metric.1")
    assert found.captures == {"kinds": "error latency"}
