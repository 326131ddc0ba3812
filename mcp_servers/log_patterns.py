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
TOGETHER = 40  # patterns in one automaton: with hundreds its states outgrow the memory and it starts over and over
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


class Sieve:
    """Hundreds of patterns, of which a chunk needs few: only those whose literal parts stand in it are searched."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self._texts = texts
        for text in texts:
            compiled(text)
        self._filters = list(_filters(texts, 0))
        self._last: tuple[frozenset[int], list[tuple[tuple[int, ...], Patterns]]] = frozenset(), []

    def parts(self, data: bytes) -> list[tuple[tuple[int, ...], Patterns]]:
        """The patterns that may match in the data, perhaps with some more, in parts, with their places among all."""
        places = sorted(first + at for first, of in self._filters for at in of.Match(data, True) or ())
        known, parts = self._last
        if not places or (len(parts) == 1 and known.issuperset(places)):
            return parts if places else []  # one chunk of a text is much like the one before: nothing new is compiled
        groups = [tuple(places[at : at + TOGETHER]) for at in range(0, len(places), TOGETHER)]
        parts = [part for group in groups for part in self._fitting(group)]
        self._last = frozenset(places), parts
        return parts

    def _fitting(self, places: tuple[int, ...]) -> list[tuple[tuple[int, ...], Patterns]]:
        """The patterns as one, or in halves where their automaton outgrows its memory."""
        try:
            return [(places, patterns(tuple(self._texts[at] for at in places)))]
        except BadPattern:
            if len(places) < 2:
                raise
        half = len(places) // 2
        return self._fitting(places[:half]) + self._fitting(places[half:])


def _filters(texts: tuple[str, ...], first: int) -> Iterator[tuple[int, Any]]:
    """A filter over all literal parts, or two over half of them each where they are too many for one, each with the
    place of its first pattern. How many one holds, RE2 does not tell beforehand."""
    if not texts:
        return
    whole = re2.Filter()
    for text in texts:
        whole.Add(text, _options())
    try:
        whole.Compile()
    except re2.error as exc:
        if len(texts) < 2:
            raise BadPattern("too large") from exc
        half = len(texts) // 2
        yield from _filters(texts[:half], first)
        yield from _filters(texts[half:], first + half)
    else:
        yield first, whole


@lru_cache(maxsize=4)
def sieve(texts: tuple[str, ...]) -> Sieve:
    """The sieve of these patterns. Raises BadPattern when one of them is no RE2."""
    return Sieve(texts)


@lru_cache(maxsize=32)  # each may use _MEMORY
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


@lru_cache(maxsize=128)
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
