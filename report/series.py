"""The lines of a report's charts, taken from the stored results of `metrics_range`."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from pydantic import ValidationError

from domain.codec import from_plain
from domain.report import Series
from domain.results import SeriesPoints
from domain.tool import ToolResult

TOOL: Final = "metrics_range"
MOST: Final = 6  # charts of a report


def series_of(calls: Iterable[ToolResult]) -> tuple[Series, ...]:
    """One line for each series that was read point by point, in the order of the calls, each once."""
    lines = {(line.entity, line.metric): line for line in _lines(calls)}
    return tuple(lines.values())[:MOST]


def _lines(calls: Iterable[ToolResult]) -> Iterator[Series]:
    for call in calls:
        if call.tool == TOOL and call.status == "ok":
            try:
                read = from_plain(SeriesPoints, call.data)
            except ValidationError:  # a recording of a version with another form; a chart is no evidence
                continue
            yield Series(read.entity, read.metric, tuple((_epoch(at), value) for at, value in read.points))


def _epoch(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
