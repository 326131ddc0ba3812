"""Tables as programs print them: aligned columns under a header, or cells between bars."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from analysis.captures.context import Line

_WIDE: Final = re.compile(r"\S+(?: \S+)*")
_TIGHT: Final = re.compile(r"\S+")
_RULE: Final = re.compile(r"\s*[-+=| ─┼]{3,}\s*")


class Row(NamedTuple):
    """One row and the line it stands on."""

    line: Line
    cells: dict[str, str]


def aligned(lines: Iterable[Line], *, wide: bool = True) -> Iterator[Row]:
    """Rows under a header line; `wide` where two blanks separate the columns and one may stand in a title."""
    rest = iter(lines)
    header = next((line for line in rest if line.text.strip()), None)
    if header is None:
        return
    titles = [(match[0].strip(), match.start()) for match in (_WIDE if wide else _TIGHT).finditer(header.text)]
    for line in rest:
        if line.text.strip() and not _RULE.fullmatch(line.text):
            yield Row(line, _cells(line.text, titles))


def worded(lines: Iterable[Line], titles: list[str]) -> Iterator[Row]:
    """Rows of words under known titles; the last title takes the rest of the line."""
    for line in lines:
        words = line.text.split(None, len(titles) - 1)
        if words:
            yield Row(line, dict(zip(titles, (word.strip() for word in words), strict=False)))


def barred(lines: Iterable[Line]) -> Iterator[Row]:
    """Rows of a psql or mysql table: cells between bars, a rule under the header."""
    titles: list[str] | None = None
    for line in lines:
        if not line.text.strip() or _RULE.fullmatch(line.text) or line.text.lstrip().startswith("("):
            continue
        cells = [cell.strip() for cell in line.text.strip().strip("|").split("|")]
        if titles is None:
            titles = cells
        elif len(cells) == len(titles):
            yield Row(line, dict(zip(titles, cells, strict=True)))


def _cells(text: str, titles: list[tuple[str, int]]) -> dict[str, str]:
    names = [name for name, _ in titles]
    starts = [start for _, start in titles]
    if all(start >= len(text) or start == 0 or text[start - 1] in " \t" for start in starts):
        ends = [*starts[1:], len(text)]
        cells = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if cells[0] or len(cells) == 1:
            return dict(zip(names, cells, strict=True))
    split = re.split(r"\s{2,}|\t", text.strip())
    if len(split) != len(names):
        split = text.split(None, len(names) - 1)
    return dict(zip(names, (cell.strip() for cell in split), strict=False))
