"""The text sources of a bundle."""

import os
from collections.abc import Iterator
from typing import BinaryIO

from analysis.lines.timestamps import Clock
from bundle.bundle import Bundle
from bundle.chunks import Chunk, chunks
from bundle.compress import packing
from bundle.paths import open_inside


class RecordedLogs:
    """Every text file under logs/ and artifacts/, named by its path."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self.clock = Clock(bundle.now, bundle.timezone)

    def names(self) -> tuple[str, ...]:
        """All text sources, sorted."""
        return self._bundle.text_sources()

    def size(self, name: str) -> int:
        """Bytes as they lie on disk."""
        return self._bundle.size(name)

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The text in whole lines, plain and decompressed."""
        with self._bundle.open_bytes(name) as stream:
            yield from chunks(stream, self._bundle.limits)

    def open_plain(self, name: str) -> BinaryIO | None:
        """The file itself, unbuffered, where it is uncompressed and may be searched in place."""
        if packing(name):
            return None
        return os.fdopen(open_inside(self._bundle.root, name), "rb", buffering=0)

    def problems(self) -> tuple[str, ...]:
        """Files under logs/ and artifacts/ that could not be taken as text."""
        return tuple(
            f"{gap.what}: {gap.why}" for gap in self._bundle.gaps if gap.what.startswith(("logs/", "artifacts/"))
        )

    def leave(self) -> None:
        """Nothing is held open: the bundle is its opener's."""
