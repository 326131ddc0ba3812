"""Finds lines in texts, and the last lines of one; what limits the answer is applied while reading."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from analysis.lines.levels import level as level_of
from analysis.lines.timestamps import LineClock
from bundle.chunks import Chunk, plain
from bundle.compress import extent
from domain.errors import BadBundle
from domain.results import Line, Lines, Searched
from mcp_servers import ripgrep
from mcp_servers.log_match import OPEN, Span, shortened
from mcp_servers.log_patterns import Patterns, patterns
from mcp_servers.log_source import LineTimes, LogsSource, named
from mcp_servers.log_table import reaches

LARGE = 32 << 20  # bytes from which a plain file is not read from its start for its last lines
_BLOCK = 1 << 20
_TAIL_MOST = 64 << 20  # bytes read from the end
_UNKNOWN_LINE = 0


@dataclass(frozen=True)
class Filter:
    """Which lines are asked for."""

    grep: str | None = None
    tail_n: int = 50
    span: Span = OPEN
    level: str | None = None

    def __str__(self) -> str:
        parts = {"grep": self.grep, "level": self.level, "tail_n": self.tail_n}
        return " ".join(f"{name}={value}" for name, value in parts.items() if value is not None)


@dataclass
class _Kept:
    """The last lines of one source that passed, and how many passed."""

    lines: deque[Line]
    matched: int = 0
    after: int = 0
    cut: int = 0
    more: bool = False  # others matched that were not counted


def search(source: LogsSource, names: Sequence[str], wanted: Filter) -> Lines:
    """The last `tail_n` lines that pass the filter, shared evenly between the sources that have some."""
    problems: list[str] = []
    found: list[_Kept] = []
    for name in names:
        kept = _Kept(deque(maxlen=wanted.tail_n))
        try:
            _Search(source, name, wanted, kept).run(problems)
        except BadBundle as exc:
            problems.append(str(exc))
        if kept.cut:
            problems.append(f"{name}: {kept.cut} lines were too long and were cut")
        found.append(kept)
    lines = _shared([list(kept.lines) for kept in found], wanted.tail_n)
    matched = sum(kept.matched for kept in found)
    more = matched > len(lines) or any(kept.more for kept in found)
    searched = Searched(
        source=named(names), window=str(wanted.span), filter=str(wanted), matched=matched, returned=len(lines),
        truncated=more, after_window=sum(kept.after for kept in found), problems=(*problems, *source.problems()),
    )  # fmt: skip
    return Lines(tuple(lines), searched)


class _Search:
    """One search of one source."""

    def __init__(self, source: LogsSource, name: str, wanted: Filter, kept: _Kept) -> None:
        self._source, self._name, self._wanted, self._kept = source, name, wanted, kept
        self._now = source.clock.now

    def run(self, problems: list[str]) -> None:
        """Takes the shortest way there is."""
        wanted = self._wanted
        file = self._source.open_plain(self._name) if self._source.size(self._name) >= LARGE else None
        with file or _Nothing():
            if file is not None and wanted.grep is None and wanted.level is None and wanted.span == OPEN:
                self._tail(file)
                problems.append(f"{self._name}: large; lines were read from its end and have no numbers")
            elif file is not None and wanted.grep is not None and self._ripgrep(file, wanted.grep):
                return
            elif wanted.grep is not None:
                self._grep(patterns((wanted.grep,)))
            else:
                self._every_line()

    def _grep(self, pattern: Patterns) -> None:
        times = LineTimes(self._source.clock)
        for chunk in self._source.chunks(self._name):
            times.enter(chunk)
            self._kept.cut = chunk.cut
            for number, start, raw in pattern.lines(chunk):
                text = raw.decode("utf-8", "replace")
                self._take(number, text, times.at(start, text))

    def _every_line(self) -> None:
        clock = LineClock(self._source.clock)
        for chunk in self._source.chunks(self._name):
            self._kept.cut = chunk.cut
            lines = chunk.data.decode("utf-8", "replace").split("\n")
            if lines[-1] == "":
                lines.pop()
            for number, text in enumerate(lines, chunk.line):
                self._take(number, text, clock.stamp(text))

    def _ripgrep(self, file: BinaryIO, grep: str) -> bool:
        """Whether ripgrep could answer. Its lines go through our own pattern again, which has the last word."""
        found = ripgrep.search(grep, file)
        if found is None:
            return False
        ours, times = patterns((grep,)), LineTimes(self._source.clock)
        times.enter(next(iter(self._source.chunks(self._name)), Chunk(1, b"")))  # what proves the zone stands there
        for each in found:
            for number, _, raw in ours.lines(Chunk(each.line, plain(each.data))):
                text = raw.decode("utf-8", "replace")
                self._take(number, text, times.own(text))
        return True

    def _tail(self, file: BinaryIO) -> None:
        clock = LineClock(self._source.clock)
        lines = _last_lines(file, self._wanted.tail_n)
        for text in lines:
            self._take(_UNKNOWN_LINE, text, clock.stamp(text))
        self._kept.more = True
        if self._kept.after and len(self._kept.lines) < self._wanted.tail_n:
            self._kept.lines.clear()
            self._kept.matched = self._kept.after = 0
            self._every_line()  # its end is later than now

    def _take(self, number: int, text: str, at: datetime | None) -> None:
        kept, wanted = self._kept, self._wanted
        if at is not None and at > self._now:
            kept.after += 1
            return
        if not wanted.span.holds(at):
            return
        if wanted.level is not None and not reaches(level_of(text), wanted.level):
            return
        kept.matched += 1
        kept.lines.append(Line(self._name, number, text, at))


class _Nothing:
    """What a `with` holds when no file was opened."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *of: object) -> None:
        return None


def _last_lines(file: BinaryIO, count: int) -> list[str]:
    """The last lines of a file, read backwards from its end."""
    start, end, _ = extent(file.fileno())
    data = b""
    while end > start and data.count(b"\n") <= count and len(data) < _TAIL_MOST:
        size = min(_BLOCK, end - start)
        end -= size
        file.seek(end, os.SEEK_SET)
        data = file.read(size) + data
    lines = plain(data).decode("utf-8", "replace").removesuffix("\n").split("\n")
    return lines[-count:]


def _shared(by_source: list[list[Line]], most: int) -> list[Line]:
    """At most so many lines: the last of each source in turn, until none is left to give."""
    left = [len(lines) for lines in by_source]
    share = [0] * len(by_source)
    while most > 0 and any(left):
        for at in _with_some(left):
            if most == 0:
                break
            left[at], share[at], most = left[at] - 1, share[at] + 1, most - 1
    return [_shown(line) for lines, count in zip(by_source, share, strict=True) if count for line in lines[-count:]]


def _shown(line: Line) -> Line:
    return replace(shortened(line), level=level_of(line.text))


def _with_some(left: list[int]) -> Iterator[int]:
    yield from (at for at, count in enumerate(left) if count)
