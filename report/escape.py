"""Makes text of unknown origin inert in a markdown report, and keeps it readable as plain text."""

import re
from typing import Final

from analysis.text import clip, escape_markdown, strip_control

_INVISIBLE: Final = re.compile(r"[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_LINE_ENDS: Final = re.compile(r"\r\n|[\t\n\r\v\f\x1c-\x1e\x85]")
_PAIR: Final = re.compile(r"\\(.)", re.DOTALL)
_HARMLESS: Final = frozenset("(){}+!")  # without the brackets and line starts, which stay escaped
_PLAIN_COLON: Final = re.compile(r"&#58;(?=\s|$)")  # `data: none` is no address
_SPAN: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_TICKS: Final = re.compile(r"`+")


def words(text: str, limit: int = 400) -> str:
    """The text as one line of plain words: no markup, HTML, link, control or direction mark acts."""
    return _relaxed(escape_markdown(clip(" ".join(visible(text).split()), limit)))


def mixed(text: str, limit: int = 400) -> str:
    """Plain words in which what stands between single backticks is code: for texts that name a command."""
    parts = _SPAN.split(clip(" ".join(visible(text).split()), limit))
    return "".join(code(part) if n % 2 else _between(part) for n, part in enumerate(parts))


def _between(part: str) -> str:
    """Plain words with the blanks at their ends."""
    inner = words(part)
    return f"{' ' * part.startswith(' ')}{inner}{' ' * part.endswith(' ')}" if inner else part


def code(text: str, limit: int = 400) -> str:
    """The text as one code span, fenced by more backticks than it holds; as it is, but for what cannot be seen."""
    inner = clip(visible(text).strip(), limit) or "-"
    fence = "`" * (longest_ticks(inner) + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{pad}{inner}{pad}{fence}"


def block(text: str, language: str = "") -> str:
    """The text as a fenced block that it cannot close."""
    lines = [visible(line) for line in text.strip("\n").split("\n")]
    fence = "`" * max(3, longest_ticks(text) + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def cell(text: str, limit: int = 120) -> str:
    """Plain words for a table cell."""
    return words(text, limit) or "-"


def visible(text: str) -> str:
    """The text on one line without control sequences; marks that turn or hide text are shown by their number."""
    marked = _INVISIBLE.sub(lambda m: f"<U+{ord(m[0]):04X}>", text)
    return strip_control(_LINE_ENDS.sub(" ", marked))


def longest_ticks(text: str) -> int:
    """How many backticks stand in a row at most."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _relaxed(escaped: str) -> str:
    """Takes back escapes of characters that cannot act where they stand, so that names stay readable."""
    escaped = _PAIR.sub(lambda m: _pair(m, escaped), escaped)
    return _PLAIN_COLON.sub(":", escaped).replace("&#58;//", ":\\//").replace("&#46;", "\\.")


def _pair(match: re.Match[str], escaped: str) -> str:
    mark = match[1]
    so_far, after = escaped[: match.start()], escaped[match.end() :][:1]
    if mark in _HARMLESS and so_far and not so_far.isdigit():  # `1)` would begin a list
        return mark
    before = so_far[-1:]
    return mark if mark == "_" and before.isalnum() and after.isalnum() else match[0]
