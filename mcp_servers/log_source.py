"""What the log tools need of a source of texts, live or recorded, and when its lines were written."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import BinaryIO, Final, Protocol

from analysis.lines.timestamps import Clock, parse_line_time, proven_offset
from bundle.chunks import Chunk

_NAMED = 100
_PROOF_LINES = 200
_BACK_LINES = 200  # of a stack trace or a dump that a line without a stamp may stand in
_BACK_BYTES = 16_384
_STAMP_WITHIN = 400  # characters of a line in which its stamp is looked for
# A stamp this far ahead is not later than now but that of a wrong clock: its line is not cut off as news of the future.
_FAR: Final = timedelta(days=366)


class LogsSource(Protocol):
    """Texts by name. Reading raises BadBundle where a text cannot be read on."""

    @property
    def clock(self) -> Clock:
        """Now, after which nothing is returned, and the zone of stamps without one."""

    def names(self) -> tuple[str, ...]:
        """All text sources, sorted."""

    def size(self, name: str) -> int:
        """Bytes as they lie on disk."""

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The text in whole lines, plain and decompressed."""

    def open_plain(self, name: str) -> BinaryIO | None:
        """The file itself, unbuffered, where it is uncompressed and may be searched in place."""

    def problems(self) -> tuple[str, ...]:
        """What should be a text source and cannot be read, and why."""

    def leave(self) -> None:
        """A session ended: files that were held open may go."""


def chosen(source: LogsSource, globs: list[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that the globs mean, and a problem for each glob that means none."""
    names = source.names()
    if not globs:
        return names, ()
    found = tuple(name for name in names if any(_means(glob, name) for glob in globs))
    unmet = tuple(f"{glob}: no source has such a name" for glob in globs if not any(_means(glob, n) for n in names))
    return found, unmet


def named(names: Sequence[str]) -> str:
    """The names of what was searched, as far as anyone reads them."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


class LineTimes:
    """Tells when single lines of one text were written, asked in their order, without reading all lines between."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._head = b""
        self._offset_known = False
        self._offset: timedelta | None = None
        self._data = b""
        self._asked = 0  # where the last line that was asked for starts
        self._last: datetime | None = None  # its time
        self._entered: datetime | None = None  # the time at the start of the chunk

    def enter(self, chunk: Chunk) -> None:
        """Goes on to the next chunk of the text."""
        if not self._head:
            self._head = chunk.data[: 64 * 1024]
        if self._data:
            self._last = self._of_lines_before(len(self._data)) or self._last
        self._data, self._asked, self._entered = chunk.data, 0, self._last

    def again(self) -> None:
        """Goes back to the start of the chunk."""
        self._asked, self._last = 0, self._entered

    def at(self, start: int, text: str) -> datetime | None:
        """The time of the line that starts there; without a stamp, that of the nearest line before."""
        continues = text[:1] in ("", " ", "\t")
        found = None if continues else self.own(text)
        found = found or self._of_lines_before(start) or self._last
        if found is None and continues:
            found = self.own(text)
        self._asked, self._last = start, found
        return found

    def own(self, text: str) -> datetime | None:
        """The line's own time, if it has one."""
        if not self._offset_known:
            lines = self._head.decode("utf-8", "replace").split("\n")[:_PROOF_LINES]
            self._offset, self._offset_known = proven_offset(lines, self._clock), True
        found = parse_line_time(text[:_STAMP_WITHIN], self._clock, self._offset)
        return None if found is not None and found - self._clock.now > _FAR else found

    def _of_lines_before(self, end: int) -> datetime | None:
        """The time of the nearest stamped line between the line that was asked for last and this place."""
        lowest = max(self._asked, end - _BACK_BYTES)
        for _ in range(_BACK_LINES):
            if end <= lowest:
                return None
            start = self._data.rfind(b"\n", lowest, end - 1) + 1 or lowest
            line = self._data[start : min(end, start + _STAMP_WITHIN)]
            end = start
            if line[:1] not in (b" ", b"\t"):
                found = self.own(line.decode("utf-8", "replace"))
                if found is not None:
                    return found
        return None


def _means(glob: str, name: str) -> bool:
    """Globs match the whole path; a file may also be called by its own name, with or without its packing."""
    bare = name.removesuffix(".gz").removesuffix(".zst")
    return any(fnmatchcase(each, glob) for each in (name, bare, name.rpartition("/")[2], bare.rpartition("/")[2]))
