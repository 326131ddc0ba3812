"""RE2 over whole chunks: finds the few lines that any of many patterns matches, and which ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from analysis.patterns import BadPattern, compiled
from bundle.chunks import Chunk

_MEMORY = 32 << 20
_NAMED = re.compile(r"(\\.)|\(\?P?<\w+>", re.DOTALL)


@dataclass(frozen=True)
class Patterns:
    """Several patterns, compiled as one."""

    texts: tuple[str, ...]
    finder: Any  # finds a line that any of them matches, in a chunk
    which: Any  # the set that tells which of them match a line

    def lines(self, chunk: Chunk) -> Iterator[tuple[int, int, bytes]]:
        """Number, place in the chunk and bytes of every line in which one of the patterns matches."""
        data, at, number, counted = chunk.data, 0, chunk.line, 0
        size = len(data)
        while at < size and (match := self.finder.search(data, at)) is not None:
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.start())
            end = size if end < 0 else end
            number += data.count(b"\n", counted, start)
            counted = start
            yield number, start, data[start:end]
            at = end + 1

    def matching(self, line: bytes) -> Iterator[int]:
        """Which of the patterns match the line, by their place."""
        found = self.which.Match(line)
        # RE2's set gives up silently where its automaton outgrows its memory; then each is asked.
        yield from sorted(found) if found else (at for at, text in enumerate(self.texts) if _one(text).search(line))


def in_parts(texts: tuple[str, ...]) -> tuple[Patterns, ...]:
    """The patterns in as few parts as their automata allow. Raises BadPattern when one of them is no RE2."""
    try:
        return (patterns(texts),)
    except BadPattern:
        if len(texts) < 2:
            raise
    half = len(texts) // 2
    return in_parts(texts[:half]) + in_parts(texts[half:])


@lru_cache(maxsize=8)
def patterns(texts: tuple[str, ...]) -> Patterns:
    """The patterns as one. Raises BadPattern when one of them is no RE2, or all are too large together."""
    for text in texts:
        compiled(text)
    joined = "|".join(f"(?:{_NAMED.sub(_unnamed, text)})" for text in texts)
    finder = _compile(f"(?m)(?:{joined})")
    which = re2.Set.SearchSet(_options())
    for text in texts:
        which.Add(text)
    try:
        which.Compile()
    except re2.error as exc:
        raise BadPattern("too large together") from exc
    return Patterns(texts, finder, which)


def _one(text: str) -> Any:
    return _compile(text)


@lru_cache(maxsize=1024)
def _compile(text: str) -> Any:
    try:
        return re2.compile(text.encode(), _options())
    except re2.error as exc:
        reason = exc.args[0] if exc.args else exc
        raise BadPattern(f"not RE2: {reason.decode() if isinstance(reason, bytes) else reason}") from exc


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True  # so that no class such as [^"] or \s runs over a line's end
    options.never_capture = True  # places only: the fast automaton suffices
    options.max_mem = _MEMORY
    return options


def _unnamed(match: re.Match[str]) -> str:
    return match[1] or "(?:"
