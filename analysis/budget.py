"""Keeps a tool result within its budget: head and tail stay, a notice says how to read the middle."""

from dataclasses import dataclass

from analysis.secrets.placeholders import PLACEHOLDER

LEAST = 200
_HEAD_SHARE = 0.6


@dataclass(frozen=True)
class Cut:
    """A text within its budget."""

    text: str
    "What may be shown: the whole text, or head, notice and tail."
    original: int
    "Length before the cut, in characters."
    was_cut: bool
    "False when the text fitted as it was."


def cut(text: str, limit: int, call_id: str) -> Cut:
    """The text within `limit` characters: first 60 % and last 40 %, at line ends, with a notice between."""
    if limit < LEAST:
        raise ValueError(f"a budget is {LEAST} characters at least, not {limit}")
    if len(text) <= limit:
        return Cut(text, len(text), False)
    notice = _notice(len(text), call_id, limit)
    room = limit - len(notice) - 2
    head_room = int(room * _HEAD_SHARE)
    spans = _placeholder_spans(text)
    head = text[: _outside(_head_end(text, head_room), spans, forward=False)].rstrip("\n")
    tail = text[_outside(_tail_start(text, room - head_room), spans, forward=True) :].lstrip("\n")
    return Cut(f"{head}\n{notice}\n{tail}", len(text), True)


def _notice(length: int, call_id: str, limit: int) -> str:
    long = f'[... cut: {length} characters in all; read_result("{call_id}") reads the middle back ...]'
    return long if len(long) <= limit // 2 else f"[... cut: {length} characters ...]"


def _head_end(text: str, room: int) -> int:
    """The last line end within the room, unless that would give away more than half of it."""
    border = text.rfind("\n", 0, room + 1)
    return border if border >= room // 2 else room


def _tail_start(text: str, room: int) -> int:
    start = len(text) - room
    border = text.find("\n", start - 1)
    return border + 1 if -1 < border < start + room // 2 else start


def _placeholder_spans(text: str) -> list[tuple[int, int]]:
    if "[redacted:" not in text:
        return []
    return [match.span() for match in PLACEHOLDER.finditer(text)]


def _outside(position: int, spans: list[tuple[int, int]], forward: bool) -> int:
    """The position itself, or the nearest border of the placeholder it would cut, on the side that keeps less."""
    for start, end in spans:
        if start < position < end:
            return end if forward else start
    return position
