"""Traces of a bundle: traces/*.csv, one span per row."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import isfinite
from threading import Lock

from analysis.measured.span_events import Event, Events, events_of
from analysis.measured.spans import SpanRow, columns, in_order
from bundle.bundle import Bundle
from bundle.chunks import chunks
from domain.errors import BadBundle
from mcp_servers.recorded.rows import Problems, Times, clock_of, matching, rows
from mcp_servers.traces import Traced

NAMES_A_SPAN = re.compile(rb"(?i)span[._-]?id")
_COLUMNS = ("trace_id", "span_id", "parent_span_id", "entity", "operation", "start", "duration_ms", "status")


class RecordedTraces:
    """Reads all files once, at the first question."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._lock = Lock()  # tools run in threads; two first questions must not read twice
        self._traced: Traced | None = None

    def trace(self) -> Traced:
        """All spans up to now."""
        with self._lock:
            if self._traced is None:
                self._traced = self._read()
            return self._traced

    def _read(self) -> Traced:
        files, problems = matching(self._bundle, "traces"), Problems()
        now = self._bundle.now.timestamp()
        found = [row for name in files for row in _read_file(self._bundle, name, problems)]
        kept = [row for row in found if row.start <= now]
        source = ", ".join(files) or "no traces in this bundle"
        spans = columns(kept)
        events = _logged(self._bundle, kept) if kept else {}
        return Traced(spans, source, len(found) - len(kept), problems.lines(), events)


def _logged(bundle: Bundle, kept: Sequence[SpanRow]) -> Events:
    """What the bundle's logs say of the spans, by row."""
    rows = {row.span.lower(): at for at, row in enumerate(in_order(kept))}
    found: dict[int, set[Event]] = defaultdict(set)
    for name in bundle.text_sources():
        for row, event in events_of(_lines(bundle, name), rows):
            found[row].add(event)
    return {row: frozenset(events) for row, events in found.items()}


def _lines(bundle: Bundle, name: str) -> Iterator[str]:
    """The lines that may name a span. A file that ends in a fault of its packing gives what came before: the log agent
    reads it too and tells."""
    with bundle.open_bytes(name) as stream:
        try:
            for chunk in chunks(stream, bundle.limits):
                if NAMES_A_SPAN.search(chunk.data):
                    yield from chunk.data.decode("utf-8").splitlines()
        except BadBundle:
            return


def _read_file(bundle: Bundle, name: str, problems: Problems) -> Iterator[SpanRow]:
    times = Times(clock_of(bundle))
    for trace, span, parent, entity, operation, start, took, status in rows(bundle, name, _COLUMNS, problems):
        at, duration = _epoch(start, times), _number(took)
        if at is None or not entity or not isfinite(duration):
            problems.note(f"{name}: spans without a readable start, entity or duration")
        else:
            yield SpanRow(trace, span, parent.strip(), entity, operation, at, duration, status)


def _epoch(cell: str, times: Times) -> float | None:
    number = _number(cell)
    if 1e8 < number < 1e11:  # plain epoch seconds, 1973 to 5138: the common form, and no cell is like another
        return number
    return times.epoch(cell)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
