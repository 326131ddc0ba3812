import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from domain.report import Series
from report.chart import Mark, chart_names, charts, short, svg
from report.markdown import markdown
from tests.report.sample import full_report, with_statement

SVG = "{http://www.w3.org/2000/svg}"


def drawn(series: Series, *marks: Mark) -> ET.Element:
    return ET.fromstring(svg(series, marks))


def lines(root: ET.Element) -> list[list[tuple[float, float]]]:
    told = [line.attrib["points"] for line in root.iter(f"{SVG}polyline")]
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in points.split())] for points in told]


def test_every_chart_of_the_report_has_a_file_that_the_page_links_to():
    report = full_report()

    assert list(charts(report)) == chart_names(report) == ["charts/01-container-orders-api-memory-bytes.svg"]
    assert f"]({chart_names(report)[0]})" in markdown(report)


def test_a_chart_has_its_title_both_axes_and_the_marks_of_onset_and_alert():
    report = full_report()
    told = [text.text for text in ET.fromstring(charts(report)[chart_names(report)[0]]).iter(f"{SVG}text")]

    assert "container:orders_api  memory_bytes" in told
    assert {"onset", "alert"} <= set(told)
    assert any(text and text.endswith("UTC") for text in told)
    assert any(text and re.fullmatch(r"[\d.]+M", text) for text in told)


def test_a_line_breaks_where_values_lack():
    points = tuple((float(n), math.nan if n in (4, 5) else float(n)) for n in range(10))

    assert [len(run) for run in lines(drawn(Series("a", "b", points)))] == [4, 4]


def test_a_spike_among_many_points_is_not_lost():
    points = tuple((float(n), 100.0 if n == 7777 else 1.0) for n in range(20_000))
    (run,) = lines(drawn(Series("a", "b", points)))

    assert len(run) <= 400
    assert min(y for _, y in run) < 60


@pytest.mark.parametrize(
    "points",
    [(), ((1.0, 2.0),), ((1.0, math.nan),), ((math.inf, 1.0),), ((1.0, 5.0), (2.0, 5.0)), ((0.0, 0.0), (1.0, 0.0)),
     ((1.0, -3.0), (1.0, -5.0)), ((1.0, 1e300), (2.0, -1e300))],
)  # fmt: skip
def test_odd_series_are_drawn_without_a_number_that_is_none(points):
    text = svg(Series("a", "b", points))

    ET.fromstring(text)
    assert "nan" not in text and "inf" not in text


def test_every_point_lies_on_the_page():
    points = tuple((1000.0 + n, (-1) ** n * n * 1e6) for n in range(50))
    for x, y in lines(drawn(Series("a", "b", points)))[0]:
        assert 0 <= x <= 760 and 0 <= y <= 260


def test_a_mark_outside_the_time_of_the_chart_is_left_out():
    told = drawn(Series("a", "b", ((0.0, 1.0), (10.0, 2.0))), Mark(99.0, "alert", "red"))

    assert "alert" not in [text.text for text in told.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"/><a href="x">', "a\x00\x1b[31mb\ufffe", "]]>", "\ud83d"]
)
def test_a_name_cannot_act_in_the_file(name):
    root = drawn(Series(name, name, ((0.0, 1.0), (10.0, 2.0))))

    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "title", "text", "line", "polyline"}


def test_a_file_name_holds_letters_and_digits_only():
    for name in chart_names(with_statement("../../etc/<x> 雪")):
        assert re.fullmatch(r"charts/\d\d-[a-z0-9-]+\.svg", name)


def test_two_series_of_one_name_have_two_files():
    report = full_report()
    assert len(set(chart_names(replace(report, charts=report.charts * 2)))) == 2


@pytest.mark.parametrize(
    ("value", "told"), [(0, "0"), (0.05, "0.05"), (1234, "1.23k"), (350e6, "350M"), (-2e9, "-2G"), (5e12, "5T")]
)
def test_numbers_on_an_axis_are_short(value, told):
    assert short(value) == told
