"""What a model cites, held against the stored results: only what stands there word for word is a citation.

A model reads the view of a result. What it quotes of the view is cited as the report cites it: the raw line of the
source, or the path and value that the view's line was made of.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from domain.codec import Json
from domain.evidence import Citation
from domain.tool import ToolResult, ToolSpec
from report.pointer import resolve
from report.stored import LINE_ENDS, LONGEST, SHORTEST, Stored
from tools.read_back import whole_text

LEAVES: Final = 2  # values that stand for one line of a view
FORMATS: Final = ("{}", "{:.6g}", "{:.4g}", "{:.1f}", "{:.0f}")  # how views write numbers
_NUMBERED: Final = re.compile(r"\s*\d+: ")  # before a line, in the views of logs
_SEARCHED: Final = "-- searched "


def proof(
    result: ToolResult, quote: str, path: str, value: Json, registry: Mapping[str, ToolSpec]
) -> tuple[Citation, ...]:
    """The citations that the result bears; none where it does not say so."""
    stored = Stored([result])
    found = [*_of_path(result, path, value)] if path else [*_of_quote(result, quote, registry, stored)] if quote else []
    return tuple(citation for citation in found if stored.holds(citation))


def _of_path(result: ToolResult, path: str, value: Json) -> Iterator[Citation]:
    try:
        stands = resolve(result.data, path)
    except LookupError:
        return
    # a model writes 137 as "137" as often as not; what is kept is what stands there
    if not isinstance(stands, dict | list) and _written(stands) == _written(value):
        yield Citation(result.call_id, path=path, value=stands)


def _of_quote(result: ToolResult, quote: str, registry: Mapping[str, ToolSpec], stored: Stored) -> Iterator[Citation]:
    line = max((part.strip() for part in LINE_ENDS.split(quote)), key=len)
    for words in dict.fromkeys((line[:LONGEST], _NUMBERED.sub("", line, count=1)[:LONGEST])):
        for (source, number), texts in stored.places(result.call_id).items():
            if any(words in text for text in texts) and (len(words) >= SHORTEST or words in map(str.strip, texts)):
                yield Citation(result.call_id, source, number, words)
                return
    shown = next((row for row in whole_text(result, dict(registry)).splitlines() if _says(row, line)), None)
    if shown is not None:
        yield from _of_row(result, shown, line)


def _says(row: str, quote: str) -> bool:
    return quote in row and (len(quote) >= SHORTEST or quote == row.strip())


def _of_row(result: ToolResult, shown: str, quote: str) -> Iterator[Citation]:
    """What a line of the view was made of; of a line that tells several things, that which the quote is about."""
    data = result.data
    if not isinstance(data, dict):
        return
    if shown.startswith(_SEARCHED) or shown == "nothing found":
        yield Citation(result.call_id, path="/searched/matched", value=data.get("searched", {}).get("matched"))
        return
    rows = [(f"/{key}/{at}", row) for key, of in data.items() if isinstance(of, list) for at, row in enumerate(of)]
    scored = [((_weight(row, quote), _weight(row, shown)), place, row) for place, row in rows]
    best = max(scored, key=lambda each: each[0], default=((0, 0), "", None))
    if best[0] == (0, 0):
        return
    line = next(_lines(best[2]), None)
    if line is not None:
        yield Citation(result.call_id, line[0], line[1], line[2][:LONGEST])
        return
    told = [(path, value) for path, value in _leaves(best[2], best[1]) if _found(value, shown)]
    once = {_written(value): path for path, value in reversed(told)}  # equal values: the first
    kept = [(path, value) for path, value in told if once[_written(value)] == path]
    for path, value in sorted(kept, key=lambda leaf: _telling(leaf[1], shown))[:LEAVES]:
        yield Citation(result.call_id, path=path, value=value)


def _telling(value: Json, shown: str) -> tuple[bool, int]:
    """Numbers before names, and in the order of the view, which begins with what matters."""
    at = (shown.find(form.format(value)) for form in FORMATS) if isinstance(value, int | float) else ()
    return isinstance(value, str), min((place for place in at if place >= 0), default=-len(str(value)))


def _weight(row: Json, shown: str) -> int:
    return sum(_found(value, shown) for _, value in _leaves(row, ""))


def _found(value: Json, shown: str) -> int:
    """How many characters of the line the value accounts for."""
    if value is None or isinstance(value, bool) or value == "":
        return 0
    if isinstance(value, int | float):
        return max((len(text) for form in FORMATS if (text := form.format(value)) in shown), default=0)
    return len(str(value)) if str(value) in shown else 0


def _leaves(data: Json, path: str) -> Iterator[tuple[str, Json]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _leaves(value, f"{path}/{at}")
    else:
        yield path, data


def _lines(data: Json) -> Iterator[tuple[str, int, str]]:
    """Raw lines that a row holds: source, number, text."""
    if isinstance(data, dict):
        text = data.get("text") if isinstance(data.get("text"), str) else data.get("quote")
        if isinstance(text, str) and text and isinstance(data.get("line"), int) and data.get("source"):
            yield data["source"], data["line"], text
        for value in data.values():
            yield from _lines(value)
    elif isinstance(data, list):
        for value in data:
            yield from _lines(value)


def _written(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
