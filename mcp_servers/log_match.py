"""Looks for many text signatures at once: every text is streamed a single time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase

from analysis.lines.timestamps import format_time
from analysis.lines.untrusted import stranger_fields
from analysis.patterns import BadPattern, compiled
from bundle.chunks import Chunk
from domain.errors import BadBundle
from domain.results import Line, Searched, SignatureHit, SignatureHits
from mcp_servers.log_owners import Owners
from mcp_servers.log_patterns import Sieve, sieve
from mcp_servers.log_source import LineTimes, LogsSource, named

SHORTEST, LONGEST = 12, 300  # characters of a quote
_LINES, _CAPTURES, _CAPTURE_CHARS = 3, 8, 200
_SHAPES = 10_000  # kinds of lines that are remembered
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_TEXT = 2000  # characters of a kept line


@dataclass(frozen=True)
class Wanted:
    """One text signature to look for."""

    id: str
    pattern: str
    sources: str = ""  # globs with commas between; empty: all

    def covers(self, name: str) -> bool:
        """Whether the source is one that it looks at."""
        return not self.sources or any(fnmatchcase(name, glob.strip()) for glob in self.sources.split(","))


@dataclass(frozen=True)
class Span:
    """The times that a search is about; None: open at that end."""

    since: datetime | None = None
    until: datetime | None = None

    def holds(self, at: datetime | None) -> bool:
        """Whether a line of that time is in it; a line whose time is unknown always is."""
        return at is None or ((self.since is None or at >= self.since) and (self.until is None or at <= self.until))

    def __str__(self) -> str:
        ends = [format_time(end) if end else "" for end in (self.since, self.until)]
        return f"{ends[0]}/{ends[1]}" if any(ends) else ""


OPEN = Span()


@dataclass
class _Found:
    """One signature in one source, or in one command's output of a capture, while it is being read."""

    count: int = 0
    first: datetime | None = None
    last: datetime | None = None
    captures: dict[tuple[tuple[str, str], ...], None] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    spans: list[str] = field(default_factory=list)

    def add(self, at: datetime | None) -> None:
        """Counts one more line."""
        self.count += 1
        if at is not None:
            self.first = min(self.first or at, at)
            self.last = max(self.last or at, at)

    def is_full(self, groups: int) -> bool:
        """Whether another line would only be counted."""
        return len(self.lines) >= _LINES and (not groups or len(self.captures) >= _CAPTURES)


def match(source: LogsSource, names: Sequence[str], wanted: Sequence[Wanted], span: Span) -> SignatureHits:
    """What of the wanted stands in the named sources."""
    good, problems = _usable(wanted)
    hits: list[SignatureHit] = []
    after = 0
    sifted = sieve(tuple(each.pattern for each in good))
    for name in names if good else ():
        reader = _Reader(source, name, good, sifted, span)
        try:
            for chunk in source.chunks(name):
                reader.read(chunk)
        except BadBundle as exc:
            problems.append(str(exc))
        hits.extend(reader.hits())
        after += reader.after
        problems.extend(reader.problems())
    problems.extend(source.problems())
    count = sum(hit.count for hit in hits)
    searched = Searched(
        source=named(names), window=str(span), filter=f"{len(good)} signatures", matched=count, returned=len(hits),
        after_window=after, problems=tuple(problems),
    )  # fmt: skip
    return SignatureHits(tuple(hits), searched)


def quote(text: str, start: int, end: int) -> str:
    """The matched part of a line, cut to the longest quote or widened to the shortest, at the borders of words."""
    end = min(end, start + LONGEST)
    while end - start < SHORTEST and (start > 0 or end < len(text)):
        end = _border_after(text, end) if end < len(text) else end
        if end - start < SHORTEST and start > 0:
            start = _border_before(text, start)
    end = min(end, start + LONGEST)
    found = text[start:end].strip()
    return found if len(found) >= SHORTEST else text.strip()[:LONGEST] if len(text.strip()) <= LONGEST else found


class _Reader:
    """Reads one source chunk by chunk."""

    def __init__(self, source: LogsSource, name: str, wanted: Sequence[Wanted], sifted: Sieve, span: Span) -> None:
        self._name, self._wanted, self._sifted, self._span = name, wanted, sifted, span
        self._now = source.clock.now
        self._times = LineTimes(source.clock)
        self._covered = [each.covers(name) for each in wanted]
        self._owners = Owners(source, name)
        self._found: dict[tuple[int, str], _Found] = {}
        self._strange: dict[bytes, list[tuple[int, int]]] = {}
        self._cut = 0
        self.after = 0

    def read(self, chunk: Chunk) -> None:
        """Takes the hits of the next chunk."""
        self._times.enter(chunk)
        self._cut = chunk.cut
        for places, part in self._sifted.parts(chunk.data):
            self._times.again()
            for number, start, raw in part.lines(chunk):
                self._read_line(number, start, raw, [places[at] for at in part.matching(raw)])

    def hits(self) -> Iterator[SignatureHit]:
        """What was found, in the order of the signatures."""
        for (at, owner), found in sorted(self._found.items()):
            yield SignatureHit(
                self._wanted[at].id, self._name, found.count, found.first, found.last,
                tuple(dict(each) for each in found.captures), tuple(found.lines), tuple(found.spans), owner,
            )  # fmt: skip

    def problems(self) -> Iterator[str]:
        """What of the source was not looked at."""
        if self._cut:
            yield f"{self._name}: {self._cut} lines were too long and were cut"

    def _read_line(self, number: int, start: int, raw: bytes, matching: list[int]) -> None:
        matching = [at for at in matching if self._covered[at]]
        if not matching:
            return
        text = raw.decode("utf-8", "replace")
        at = self._times.at(start, text)
        if at is not None and at > self._now:
            self.after += 1
        elif self._span.holds(at):
            strange = self._strange_fields(raw, text)
            for which in matching:
                self._take(which, Line(self._name, number, text, at), strange)

    def _strange_fields(self, raw: bytes, text: str) -> list[tuple[int, int]]:
        """Where a stranger's text stands: the same place in lines that differ in their digits only."""
        shape = raw.translate(_DIGITS)
        found = self._strange.get(shape)
        if found is None:
            found = stranger_fields(text)
            if len(self._strange) < _SHAPES:
                self._strange[shape] = found
        return found

    def _take(self, which: int, line: Line, strange: list[tuple[int, int]]) -> None:
        pattern = compiled(self._wanted[which].pattern)
        place = which, self._owners.of(line.line)
        found = self._found.get(place)
        if found and not strange and found.is_full(pattern.groups):
            found.add(line.at)
            return
        for hit in pattern.finditer(line.text):
            if not any(left <= hit.start() and hit.end() <= right for left, right in strange):
                break
        else:
            return
        found = self._found.setdefault(place, _Found())
        found.add(line.at)
        if len(found.captures) < _CAPTURES and (named := hit.groupdict()):
            kept = tuple((key, value[:_CAPTURE_CHARS]) for key, value in sorted(named.items()) if value)
            found.captures.setdefault(kept)
        if len(found.lines) < _LINES:
            found.spans.append(quote(line.text, hit.start(), hit.end()))
            found.lines.append(shortened(line, hit.start()))


def shortened(line: Line, around: int = 0) -> Line:
    """The line with at most 2,000 characters, those around the place of interest."""
    if len(line.text) <= _TEXT:
        return line
    start = max(0, min(around - _TEXT // 4, len(line.text) - _TEXT))
    return Line(line.source, line.line, line.text[start : start + _TEXT], line.at, line.level)


def _usable(wanted: Sequence[Wanted]) -> tuple[list[Wanted], list[str]]:
    good: list[Wanted] = []
    problems: list[str] = []
    for each in wanted:
        try:
            compiled(each.pattern)
        except BadPattern as exc:
            problems.append(f"{each.id}: {exc}")
        else:
            good.append(each)
    return good, problems


def _border_after(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return end


def _border_before(text: str, start: int) -> int:
    while start > 0 and text[start - 1].isspace():
        start -= 1
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    return start
