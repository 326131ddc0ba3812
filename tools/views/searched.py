"""The line every view ends with: what was searched."""

import re
from typing import Final

from domain.codec import Json

_FRACTION: Final = re.compile(r"(T\d\d:\d\d:\d\d)\.\d+")


def second(at: str) -> str:
    """A moment without the fraction of its second."""
    return _FRACTION.sub(r"\1", at)


def span(first: str | None, last: str | None) -> str:
    """From when to when, to the second, the day once: what a model reads of a stamp is mostly digits."""
    if not first or not last:
        return "at no known time"
    begin, end = second(first), second(last)
    if begin == end:
        return begin
    return f"{begin} to {end[11:] if begin[:11] == end[:11] else end}"


def searched(data: Json, rows: list[str]) -> str:
    """The rows, then what was looked at, so that absence can be told from blindness."""
    told = data["searched"]
    parts = [f"searched {told['source']}"]
    parts += [f"window {told['window']}"] if told.get("window") else []
    parts += [f"filter {told['filter']}"] if told.get("filter") else []
    parts.append(f"{told['matched']} matched, {told['returned']} returned")
    parts += ["truncated"] if told.get("truncated") else []
    parts += [f"{told['after_window']} later than now withheld"] if told.get("after_window") else []
    parts += [f"could not read: {problem}" for problem in told.get("problems", [])]
    return "\n".join([*(rows or ["nothing found"]), "-- " + "; ".join(parts)])
