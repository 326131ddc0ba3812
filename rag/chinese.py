"""Chinese is written without blanks: pairs of characters stand for words, and known terms are said in English."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

_TERMS: Final = Path(__file__).with_name("chinese.toml")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


@cache
def terms() -> dict[str, str]:
    """Chinese to English: what `chinese.toml` holds."""
    return {key: str(value) for key, value in tomllib.loads(_TERMS.read_text(encoding="utf-8")).items()}


def bigrams(text: str) -> tuple[str, ...]:
    """All pairs of neighbouring Chinese characters, in order, each once; a single character stands alone."""
    return tuple(dict.fromkeys(pair for run in _HAN.findall(text) for pair in _pairs(run)))


def in_english(text: str) -> str:
    """The known terms of the text in English, in order; the longest term wins."""
    return " ".join(dict.fromkeys(word for run in _HAN.findall(text) for word in _translated(run)))


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))


def _translated(run: str) -> Iterator[str]:
    known = terms()
    longest = max(map(len, known))
    at = 0
    while at < len(run):
        sizes = range(min(longest, len(run) - at), 0, -1)
        size = next((size for size in sizes if run[at : at + size] in known), 0)
        yield from known.get(run[at : at + size], "").split()
        at += size or 1
