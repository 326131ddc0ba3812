"""Spans, and what became of the calls between services at a moment."""

from collections.abc import Iterator

import pytest

from analysis.measured.spans import SpanRow, columns, failed
from analysis.measured.trace_edges import more_often, trace_edges
from domain.results import TraceEdge

MOMENT = 10_000.0


def request(
    number: int, at: float, gap: float = 2.0, work: float = 10.0, status: str = "", stop: bool = False
) -> Iterator[SpanRow]:
    """One request: web calls shop over a client span; shop asks its store and then pay, unless it stops."""
    trace = f"t{number}"
    yield SpanRow(trace, "a", "", "web", "GET /", at, work + gap + 5, "")
    yield SpanRow(trace, "b", "a", "web", "call shop", at + 0.001, work + gap, "")
    yield SpanRow(trace, "c", "b", "shop", "GET /cart", at + 0.002, work, status)
    yield SpanRow(trace, "d", "c", "shop", "SELECT cart", at + 0.003, work / 2, "")
    if not stop:
        yield SpanRow(trace, "e", "c", "shop", "call pay", at + 0.004, work / 4, "")
        yield SpanRow(trace, "f", "e", "pay", "POST /pay", at + 0.005, work / 5, "")


def requests(**after: object) -> list[TraceEdge]:
    """The edges of thirty usual requests and ten since the moment that differ by `after`."""
    rows = [row for n in range(30) for row in request(n, MOMENT - 1000 + n, gap=2 + n % 3 / 10)]
    rows += [row for n in range(30, 40) for row in request(n, MOMENT - 60 + n, **after)]  # type: ignore[arg-type]
    return trace_edges(columns(rows), MOMENT)


def edge(edges: list[TraceEdge], caller: str, callee: str) -> TraceEdge:
    return next(one for one in edges if (one.caller, one.callee) == (caller, callee))


def test_own_time_leaves_out_children_and_the_gap_is_client_minus_server() -> None:
    spans = columns(list(request(1, MOMENT)))
    by_name = {spans.operations[operation]: row for row, operation in enumerate(spans.operation)}
    assert spans.own_time[by_name["GET /cart"]] == pytest.approx(10 - 5 - 2.5)
    assert spans.gap[by_name["GET /cart"]] == pytest.approx(2.0)
    assert spans.own_time[by_name["GET /"]] == pytest.approx(5.0)


def test_a_delay_of_the_network_shows_between_client_and_server() -> None:
    found = requests(gap=200.0)
    assert edge(found, "web", "shop").what == "network_delay"
    assert (edge(found, "web", "shop").gap_before_ms, edge(found, "web", "shop").gap_after_ms) == (2.1, 200.0)
    assert edge(found, "shop", "pay").what == "ok"


def test_work_that_takes_longer_is_slow_and_no_network_delay() -> None:
    assert edge(requests(work=300.0), "web", "shop").what == "slow"


def test_a_share_of_failures_that_rose_is_failing() -> None:
    found = edge(requests(status="ERROR"), "web", "shop")
    assert (found.what, found.errors_before, found.errors_after) == ("failing", 0, 10)


def test_an_operation_that_stops_before_its_usual_call_ended_early() -> None:
    broken = [one for one in requests(stop=True) if one.what == "missing_calls"]
    assert [(one.caller, one.callee, one.operation, one.errors_after) for one in broken] == [
        ("shop", "shop", "GET /cart", 10)
    ]


def test_usual_calls_are_all_ok_and_no_spans_give_no_edges() -> None:
    assert {one.what for one in requests()} == {"ok"}
    assert trace_edges(columns([]), MOMENT) == []


def test_a_parent_that_was_not_recorded_leaves_an_orphan() -> None:
    spans = columns([SpanRow("t", "x", "lost", "pay", "POST", MOMENT, 3.0)])
    assert spans.orphan.tolist() == [True] and spans.parent.tolist() == [-1]


@pytest.mark.parametrize(
    ("status", "is_failure"), [("ERROR", True), ("503", True), ("OK", False), ("", False), ("404", False)]
)
def test_failure_is_read_from_the_words_of_tracers(status: str, is_failure: bool) -> None:
    assert failed(status) is is_failure


def test_a_share_that_did_not_rise_is_not_more_often() -> None:
    assert more_often(5, 100, 1, 20) == pytest.approx(0.0)
    assert more_often(0, 0, 5, 5) == 0.0
    assert more_often(0, 100, 10, 20) > 3
