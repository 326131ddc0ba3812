"""Line charts as SVG: no script, readable on dark and on light, with axis labels and marks of onset and alert."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Final

from analysis.text import clip
from domain.report import Report, Series
from report.escape import visible
from report.page import onset_of, page_of

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 44, 34
MOST_POINTS: Final = 400
GREY, BLUE, RED, AMBER = "#808890", "#2f81d6", "#d9534f", "#c98a12"
_SLUG: Final = re.compile(r"[^a-z0-9]+")
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Point = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """A moment that the chart points at."""

    at: float  # epoch seconds
    text: str
    colour: str


@dataclass(frozen=True)
class _Frame:
    """How times and values become places on the page."""

    start: float
    end: float
    low: float
    high: float
    step: float  # between two values of the axis

    def x(self, at: float) -> float:
        return LEFT + (at - self.start) / (self.end - self.start) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def chart_names(report: Report) -> list[str]:
    """The file of each chart, as the report links to it."""
    return [f"charts/{n:02d}-{_slug(f'{s.entity}-{s.metric}')}.svg" for n, s in enumerate(report.charts, 1)]


def charts(report: Report) -> dict[str, str]:
    """The SVG text of every chart by its file name, to be written beside report.md."""
    marks = _marks(report)
    return {name: svg(s, marks) for name, s in zip(chart_names(report), report.charts, strict=True)}


def svg(series: Series, marks: Iterable[Mark] = ()) -> str:
    """One series as a line, broken where values lack."""
    points = [(at, value) for at, value in series.points if math.isfinite(at)]
    frame = _frame(points)
    seen = sorted((mark for mark in marks if frame.start <= mark.at <= frame.end), key=lambda mark: mark.at)
    title = escape(_NOT_XML.sub("", clip(visible(f"{series.entity}  {series.metric}"), 90)))
    body = [
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="600" fill="{GREY}">{title}</text>',
        *_value_axis(frame),
        *_time_axis(frame),
        *(line for n, mark in enumerate(seen) for line in _mark(frame, mark, left=n == 0 and len(seen) > 1)),
        *(_line(frame, run) for run in _runs(_thinned(points))),
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" font-family="system-ui, sans-serif" font-size="11">',
        f"<title>{title}</title>",
        *body,
        "</svg>",
        "",
    ])  # fmt: skip


def _marks(report: Report) -> list[Mark]:
    page = page_of(report, "en")
    onset = onset_of(page)
    marks = [Mark(report.incident.fired_at.timestamp(), "alert", RED)]
    return [Mark(onset[0].timestamp(), "onset", AMBER), *marks] if onset else marks


def _frame(points: list[Point]) -> _Frame:
    times = [at for at, _ in points] or [0.0]
    values = [value for _, value in points if math.isfinite(value)] or [0.0]
    start, end, low, high = min(times), max(times), min(values), max(values)
    low = 0.0 if 0 <= low <= high * 0.6 else low  # a small wiggle must not look like a cliff, nor a cliff like a wiggle
    step = _round_step((high / 4 - low / 4) or abs(high) / 4 or 1.0)
    return _Frame(start, end if end > start else start + 1, math.floor(low / step) * step,
                  max(math.ceil(high / step), math.floor(low / step) + 1) * step, step)  # fmt: skip


def _round_step(about: float) -> float:
    """1, 2 or 5 times a power of ten, no less than `about`."""
    power = 10.0 ** math.floor(math.log10(about)) if about > 1e-300 else 1e-300
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= about * 0.999)


def _value_axis(frame: _Frame) -> Iterator[str]:
    for n in range(round((frame.high - frame.low) / frame.step) + 1):
        value = frame.low + frame.step * n
        y = frame.y(value)
        yield (
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GREY}" stroke-opacity="0.25"/>'
        )
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{GREY}">{short(value)}</text>'


def _time_axis(frame: _Frame) -> Iterator[str]:
    form = "%H:%M" if frame.end - frame.start > 600 else "%H:%M:%S"
    for n in range(5):
        at = frame.start + (frame.end - frame.start) * n / 4
        anchor = "start" if n == 0 else "end" if n == 4 else "middle"
        told = _clock(at, form) + (" UTC" if n == 4 else "")
        yield f'<text x="{frame.x(at):.1f}" y="{HEIGHT - 12}" text-anchor="{anchor}" fill="{GREY}">{told}</text>'


def _clock(at: float, form: str) -> str:
    """The time of day in UTC; a number that is no time stays a number."""
    if not 0 <= at < 253402300800:
        return short(at)
    return f"{datetime.fromtimestamp(at, UTC):{form}}"


def _mark(frame: _Frame, mark: Mark, left: bool) -> Iterator[str]:
    x = frame.x(mark.at)
    yield (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{HEIGHT - BOTTOM}" stroke="{mark.colour}"'
        f' stroke-width="1.5" stroke-dasharray="4 3"/>'
    )
    left = left and x > LEFT + 40
    ends, shift = ("end", -4) if left or x > WIDTH - RIGHT - 40 else ("start", 4)
    place = f'x="{x + shift:.1f}" y="{TOP - 6}" text-anchor="{ends}"'
    yield f'<text {place} fill="{mark.colour}">{escape(mark.text)}</text>'


def _line(frame: _Frame, run: list[Point]) -> str:
    if len(run) == 1:
        return f'<circle cx="{frame.x(run[0][0]):.1f}" cy="{frame.y(run[0][1]):.1f}" r="2.5" fill="{BLUE}"/>'
    path = " ".join(f"{frame.x(at):.1f},{frame.y(value):.1f}" for at, value in run)
    return f'<polyline points="{path}" fill="none" stroke="{BLUE}" stroke-width="1.8" stroke-linejoin="round"/>'


def _runs(points: list[Point]) -> Iterator[list[Point]]:
    """The stretches between values that are no numbers."""
    run: list[Point] = []
    for point in points:
        if math.isfinite(point[1]):
            run.append(point)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _thinned(points: list[Point]) -> list[Point]:
    """At most MOST_POINTS points; of each bucket the lowest and the highest stay, so that no spike is lost."""
    if len(points) <= MOST_POINTS:
        return points
    size = math.ceil(len(points) / (MOST_POINTS // 2))
    buckets = (points[n : n + size] for n in range(0, len(points), size))
    return [point for bucket in buckets for point in _extremes(bucket)]


def _extremes(bucket: list[Point]) -> list[Point]:
    numbers = [point for point in bucket if math.isfinite(point[1])]
    if not numbers:
        return bucket[:1]
    return sorted({min(numbers, key=lambda p: p[1]), max(numbers, key=lambda p: p[1])})


def short(value: float) -> str:
    """A number for an axis: `1.2k`, `350M`, `0.05`."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def _slug(text: str) -> str:
    return _SLUG.sub("-", text.lower()).strip("-")[:60].strip("-") or "series"
