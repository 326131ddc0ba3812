"""Whose text a line of a capture is: several commands stand in one file, each of a pod, a node or a container."""

from bisect import bisect_right
from functools import cached_property
from typing import Final

from analysis.captures.transcript import split
from analysis.captures.whose import whose
from domain.errors import BadBundle
from mcp_servers.log_source import LogsSource

_CAPTURES: Final = "artifacts/"
_MOST_BYTES: Final = 4_000_000  # what is longer is a log, not a command's output


class Owners:
    """The owners of one source's lines; it is read for them only when a line of it is asked for."""

    def __init__(self, source: LogsSource, name: str) -> None:
        self._source, self._name = source, name

    def of(self, line: int) -> str:
        """Whose output the line is; nothing for a log, and where the capture does not tell."""
        at = bisect_right(self._starts, line) - 1
        return self._blocks[at][1] if at >= 0 else ""

    @cached_property
    def _starts(self) -> list[int]:
        return [first for first, _ in self._blocks]

    @cached_property
    def _blocks(self) -> list[tuple[int, str]]:
        if not self._name.startswith(_CAPTURES) or self._source.size(self._name) > _MOST_BYTES:
            return []
        try:
            data = b"".join(chunk.data for chunk in self._source.chunks(self._name))
        except BadBundle:  # the reader of the lines says so
            return []
        return [(block.first_line, whose(block)) for block in split(data.decode("utf-8", "replace"), self._name)]
