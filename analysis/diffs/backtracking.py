"""Patterns that go back again and again: a text that nearly fits keeps a processor busy for seconds or hours."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

Lines = list[str]
# One element of a pattern with its quantifier: a class, an escape, a character or a dot.
_ELEMENT: Final = re.compile(
    r"(?P<what>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[^\\()\[\]|*+?{}])(?P<times>[*+?]|\{\d*,?\d*\})?(?P<held>[+?])?"
)
_GROUP: Final = re.compile(
    r"\((?:\?:|\?P?<\w+>)?(?P<body>(?:\[(?:\\.|[^\]\\])*\]|\\.|[^()\[\]\\])*)\)(?P<times>[*+]|\{\d+,\})(?!\+)"
)
_TWICE: Final = re.compile(r"(?P<one>\.|\\[wsdWSD]|\[(?:\\.|[^\]\\])+\])[*+]\??\(?(?:\?:)?(?P=one)[*+](?!\+)")
_PATTERN: Final = re.compile(
    r"""(?:re\.\w+|regex\w*|RegExp|Pattern\.\w+|preg_\w+|\bregex|pattern|matches|@Pattern)\W{0,6}(?:r|R|f)?["'`](?P<a>.+)["'`]|"""
    r"""[=(,:]\s*/(?P<b>(?:\\.|[^/\\\n])+)/[gimsuy]*\s*[;,).]|=~\s*/(?P<c>[^/\n]+)/""",
    re.IGNORECASE,
)
_LINEAR: Final = re.compile(
    r"\bregexp\.(?:Must)?Compile|Regex::new|\bre2\b|RE2", re.IGNORECASE
)  # engines that never go back
_LONGEST: Final = 1000  # characters: what is longer is generated, and looking for its groups takes the square of them
_SAME: Final = ((r"\w", r"\d"), (r".", r"\s"), (r".", r"\w"), (r".", r"\d"))


def goes_back(removed: Lines, added: Lines) -> Iterator[Effect]:
    """A pattern with a repetition inside of a repetition, which no removed line had."""
    known = {part for line in removed for part in _parts(line)}
    new = next((part for line in added for part in _parts(line) if part not in known), "")
    if new:
        why = f"matches with a pattern that goes back again and again ({new[:40]})"
        yield Effect(1.5, why, (new.lower(),), "busy")


def _parts(line: str) -> Iterator[str]:
    """The parts of the line's patterns that can match one text in many ways."""
    if len(line) > _LONGEST or _LINEAR.search(line):
        return
    for found in _PATTERN.finditer(line):
        pattern = found["a"] or found["b"] or found["c"] or ""
        yield from (each.group() for each in _GROUP.finditer(pattern) if _ambiguous(each["body"]))
        yield from (each.group() for each in _TWICE.finditer(pattern))


def _ambiguous(body: str) -> bool:
    """Whether a text of the repeated group can be cut into repetitions in more than one way."""
    options = body.split("|")
    if len(options) > 1:
        return any(len(set(options) & set(pair)) == 2 for pair in _SAME)
    elements = [each for each in _ELEMENT.finditer(body) if each["what"] not in "^$"]
    many = [each for each in elements if _unbounded(each["times"]) and each["held"] != "+"]
    needed = [each for each in elements if not _may_lack(each["times"])]
    return bool(many) and all(each in many for each in needed)


def _unbounded(times: str | None) -> bool:
    return times in ("*", "+") or bool(times and re.fullmatch(r"\{\d+,\}", times))


def _may_lack(times: str | None) -> bool:
    return times in ("*", "?") or bool(times and times.startswith(("{0", "{,")))
