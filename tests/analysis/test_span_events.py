"""What operations used to log and no longer do, and what they never logged before."""

from datetime import UTC, datetime

from analysis.measured.span_events import Event, changed_events, events_of
from analysis.measured.spans import SpanRow, columns
from analysis.measured.trace_edges import trace_edges

MOMENT = 10_000.0
LATE = MOMENT - 60


def line(span: str, place: str, said: str, level: str = "INFO") -> str:
    stamp = datetime.fromtimestamp(MOMENT, UTC).isoformat()
    return f"{stamp} {level} {place} TraceID: {'a' * 32} SpanID: {span} {said}"


def runs(before: int, after: int) -> list[SpanRow]:
    """One operation of one service, run so often before and after."""
    starts = [MOMENT - 1000 + at for at in range(before)] + [LATE + at for at in range(after)]
    return [SpanRow("t", f"{at:016x}", "", "shop", "GET /order", start, 5.0) for at, start in enumerate(starts)]


def found(before: int, after: int, lines: list[str]) -> list[tuple[str, str, int, int]]:
    rows = runs(before, after)
    events: dict[int, set[Event]] = {}
    for row, event in events_of(lines, {each.span: at for at, each in enumerate(rows)}):
        events.setdefault(row, set()).add(event)
    edges = trace_edges(columns(rows), MOMENT, {row: frozenset(each) for row, each in events.items()})
    return [(e.what, e.event, e.errors_before, e.errors_after) for e in edges if e.event]


def test_a_line_that_always_followed_and_no_longer_does_is_lost() -> None:
    said = [line(f"{at:016x}", "Orders.java:40", f"priced order {at * 37}") for at in range(20)]
    assert found(20, 6, said) == [("lost_event", "Orders.java:40 priced order <*>", 20, 0)]


def test_a_complaint_that_never_was_and_now_mostly_is_is_new() -> None:
    said = [line(f"{at:016x}", "Orders.java:52", "no price for it", "ERROR") for at in range(20, 25)]
    assert found(20, 6, said) == [("new_event", "Orders.java:52 no price for it", 0, 5)]


def test_a_complaint_that_ended_or_a_plain_line_that_is_new_is_no_trouble() -> None:
    ended = [line(f"{at:016x}", "Orders.java:52", "no price for it", "ERROR") for at in range(20)]
    chosen = [line(f"{at:016x}", "Orders.java:60", "gift wrapped") for at in range(20, 26)]
    assert found(20, 6, ended + chosen) == []


def test_more_lines_of_more_runs_are_no_news() -> None:
    said = [line(f"{at:016x}", "Orders.java:40", "priced") for at in range(80)]
    assert found(20, 60, said) == []


def test_the_same_words_from_another_place_in_the_code_are_another_event() -> None:
    said = [line(f"{at:016x}", "Orders.java:40", "done") for at in range(20)]
    said += [line(f"{at:016x}", "Orders.java:90", "done") for at in range(20, 26)]
    assert found(20, 6, said) == [("lost_event", "Orders.java:40 done", 20, 0)]


def test_lines_of_unknown_spans_say_nothing() -> None:
    assert list(events_of([line("f" * 16, "Orders.java:40", "priced"), "no span here"], {"0" * 16: 0})) == []
    assert list(changed_events(columns(runs(20, 6)), {}, columns(runs(20, 6)).start >= LATE)) == []
