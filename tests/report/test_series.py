from report.series import series_of
from tests.report.sample import result

POINTS = [["2026-03-04T10:16:00Z", 1.0], ["2026-03-04T10:17:00Z", 2.5]]


def range_call(call_id: str, entity: str, points: list[list[object]] = POINTS):
    searched = {"source": "metrics/a.csv"}
    return result(call_id, "metrics_range", {"entity": entity, "metric": "cpu", "points": points, "searched": searched})


def test_a_series_that_was_read_point_by_point_becomes_a_line_with_epoch_seconds():
    (line,) = series_of([range_call("metric.1", "orders")])

    assert (line.entity, line.metric) == ("orders", "cpu")
    assert line.points == ((1772619360.0, 1.0), (1772619420.0, 2.5))


def test_each_series_is_drawn_once_and_other_tools_are_no_chart():
    calls = [range_call("metric.1", "a"), range_call("metric.2", "b"), range_call("metric.3", "a")]

    assert [line.entity for line in series_of([*calls, result("metric.4", "metrics_list", {"series": []})])] == [
        "a",
        "b",
    ]


def test_a_result_of_another_form_is_left_out():
    assert series_of([result("metric.1", "metrics_range", {"points": "odd"})]) == ()


def test_a_report_has_six_charts_at_most():
    assert len(series_of([range_call(f"metric.{n}", f"e{n}") for n in range(9)])) == 6
