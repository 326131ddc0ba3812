"""What is too small to matter, however many sigmas it is."""

import pytest

from analysis.measured.clues import of_resources
from analysis.measured.felt import felt, is_idle
from domain.results import SeriesSummary


def series(metric: str, kind: str, before: float, after: float, most: float | None = None) -> SeriesSummary:
    high = max(before, after) if most is None else most
    return SeriesSummary("web", metric, 30, 0.0, before, high, after, before, after, 50.0, "up", None, kind, "m.csv")


@pytest.mark.parametrize(
    "one",
    [
        series("cpu_percent", "cpu", 0.0, 0.1),
        series("cpu_usage", "cpu", 2.0, 9.0),
        series("connected_clients", "saturation", 1.0, 1.5),
        series("open_fds", "saturation", 7.0, 5.5),
        series("memory_rss_bytes", "memory", 3.5e6, 2.6e6),
        series("latency_p95_ms", "latency", 1.0, 4.0),
        series("latency_p95_s", "latency", 0.001, 0.004),
        series("requests", "traffic", 19.0, 22.0),
        series('node_cpu_seconds_total{cpu="0",mode="user"}', "cpu", 0.005, 0.15),
        series('node_cpu_seconds_total{cpu="1",mode="user"}', "cpu", 0.015, 0.3),
        series('node_cpu_seconds_total{cpu="1",mode="idle"}', "cpu", 0.98, 0.6),
        series("node_load1", "saturation", 0.0, 0.8),
    ],
)
def test_a_change_that_nobody_feels_is_none(one: SeriesSummary) -> None:
    assert not felt(one)
    assert list(of_resources([one])) == []


@pytest.mark.parametrize(
    "one",
    [
        series("cpu_percent", "cpu", 8.0, 92.0),
        series("cpu_usage", "cpu", 0.1, 0.9),
        series("connected_clients", "saturation", 10.0, 95.0),
        series("pool_usage_ratio", "saturation", 0.3, 0.9),
        series("memory_rss_bytes", "memory", 2e8, 9e8),
        series("latency_p95_ms", "latency", 20.0, 400.0),
        series("latency_p95", "latency", 0.02, 0.04),
        series("requests", "traffic", 20.0, 4.0),
        series("anything_else", "other", 0.1, 0.2),
    ],
)
def test_a_change_that_is_large_or_of_an_unknown_unit_counts(one: SeriesSummary) -> None:
    assert felt(one)


def test_a_processor_that_rose_and_has_room_left_is_the_weaker_clue() -> None:
    little, much = series("cpu_percent", "cpu", 1.0, 30.0), series("cpu_percent", "cpu", 1.0, 90.0)
    assert is_idle(little) and not is_idle(much)
    (weak,), (strong,) = of_resources([little]), of_resources([much])
    assert weak.strength < strong.strength
