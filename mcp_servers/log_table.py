"""Reads each text once into a table of what its lines say and when, which listing and templates share."""

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from analysis.lines.levels import at_least, level
from analysis.lines.templates import Miner
from analysis.lines.timestamps import LineClock
from bundle.chunks import Chunk
from domain.errors import BadBundle
from mcp_servers.log_patterns import patterns
from mcp_servers.log_source import LineTimes, LogsSource

WHOLE = 2_000  # lines of one text that are all looked at; after them only those that sound like trouble
TROUBLE = 6_000  # of those
_CHARS = 400  # characters of a line that are looked at
_MINED = 4096  # for its template: the status of a request stands behind its path
_SOUNDS_BAD = (
    r"(?i)error|fatal|panic|\bcrit|exception|traceback|\bfail|refused|denied|time(?:d[ -]?)?out|kill|unable|cannot",
    r"(?i)warn|emerg|segfault|\boom|no space|corrupt|expired|exit|exhaust|exceed|unreachable|reset by|abort|lost",
    r"(?i)can't|invalid|reject",
    r'\[E\]|^[EF]\d{4} |" 5\d\d |status"?[=: ]{1,2}"?5\d\d\b',
)


class Row(NamedTuple):
    """One line that was looked at."""

    line: int
    at: datetime | None
    template: int  # place in the table's miner
    level: str | None
    text: str


@dataclass
class Table:
    """What one text holds, up to now."""

    name: str
    rows: list[Row] = field(default_factory=list)
    miner: Miner = field(default_factory=Miner)
    lines: int = 0
    first: datetime | None = None
    last: datetime | None = None
    sampled: bool = False  # beyond the first lines only those that sound like trouble are in rows
    after: int = 0  # lines later than now
    problems: list[str] = field(default_factory=list)

    def levels(self) -> dict[str, int]:
        """How many lines state which level; empty where not all lines were looked at."""
        counts = Counter(row.level for row in self.rows if row.level)
        return {} if self.sampled else dict(sorted(counts.items()))


class Tables:
    """The tables of a source, each made when it is first asked for, and anew when its text has grown."""

    def __init__(self, source: LogsSource) -> None:
        self._source = source
        self._made: dict[str, tuple[int, Table]] = {}
        self._lock = threading.Lock()

    def of(self, names: tuple[str, ...]) -> Iterator[Table]:
        """The tables of these texts, in their order."""
        for name in names:
            with self._lock:  # tools run in threads of their own, and each table is made once
                size = self._source.size(name)
                if name not in self._made or self._made[name][0] != size:
                    self._made[name] = size, _Reading(self._source, name).table()
                table = self._made[name][1]
            yield table


class _Reading:
    """One text on its way into a table."""

    def __init__(self, source: LogsSource, name: str) -> None:
        self._source, self._table = source, Table(name)
        self._clock = LineClock(source.clock)
        self._times = LineTimes(source.clock)
        self._now = source.clock.now
        self._levels: dict[tuple[int, str], str | None] = {}
        self._bad = patterns(_SOUNDS_BAD)
        self._cut = 0

    def table(self) -> Table:
        """Reads the text to its end, or as far as it can be read."""
        table = self._table
        try:
            for chunk in self._source.chunks(table.name):
                self._times.enter(chunk)
                self._cut = chunk.cut
                self._chunk(chunk)
        except BadBundle as exc:
            table.problems.append(str(exc))
        table.rows = [row._replace(template=table.miner.find(row.template)) for row in table.rows]
        if self._cut:
            table.problems.append(f"{table.name}: {self._cut} lines were too long and were cut")
        if table.sampled:
            table.problems.append(
                f"{table.name}: of {table.lines} lines the first {WHOLE} were looked at, "
                f"then {len(table.rows) - WHOLE} that sound like trouble"
            )
        return table

    def _chunk(self, chunk: Chunk) -> None:
        table = self._table
        count = chunk.data.count(b"\n") + (not chunk.data.endswith(b"\n"))
        if table.sampled or table.lines + count > WHOLE * 2:
            self._sampled(chunk)
        else:
            self._whole(chunk)
        table.lines += count

    def _whole(self, chunk: Chunk) -> None:
        lines = chunk.data.decode("utf-8", "replace").split("\n")
        for number, text in enumerate(lines, chunk.line):
            at = self._clock.stamp(text)
            if text and not text.isspace():
                self._add(number, text, at)

    def _sampled(self, chunk: Chunk) -> None:
        """The first lines as they come, then those that sound like trouble, and the last for its time."""
        table = self._table
        table.sampled = True
        if not table.rows:
            end = _end_of_line(chunk.data, WHOLE)
            self._whole(Chunk(chunk.line, chunk.data[:end]))
        seen = table.rows[-1].line if table.rows else 0
        for number, start, raw in self._bad.lines(chunk):
            if len(table.rows) >= WHOLE + TROUBLE:
                break
            if number > seen:
                text = raw.decode("utf-8", "replace")
                self._add(number, text, self._times.at(start, text))
        start = chunk.data.rfind(b"\n", 0, len(chunk.data) - 1) + 1
        at = self._times.at(start, chunk.data[start:].decode("utf-8", "replace"))
        if at is not None and at <= self._now:
            table.last = max(table.last or at, at)

    def _add(self, number: int, text: str, at: datetime | None) -> None:
        table = self._table
        if at is not None:
            if at > self._now:
                table.after += 1
                return
            table.first = min(table.first or at, at)
            table.last = max(table.last or at, at)
        template = table.miner.add(text[:_MINED], number)
        text = text[:_CHARS]
        table.rows.append(Row(number, at, template, self._level(template, text), text))

    def _level(self, template: int, text: str) -> str | None:
        """The level of the template's first line; in an access log the status decides, which templates mask."""
        at = text.find('" ')
        key = (template, text[at + 2 : at + 3] if at >= 0 else "")
        if key not in self._levels:
            self._levels[key] = level(text)
        return self._levels[key]


def reaches(stated: str | None, wanted: str | None) -> bool:
    """Whether a line of that level is asked for."""
    return wanted is None or at_least(stated, wanted)


def _end_of_line(data: bytes, lines: int) -> int:
    at = 0
    for _ in range(lines):
        end = data.find(b"\n", at)
        if end < 0:
            return len(data)
        at = end + 1
    return at
