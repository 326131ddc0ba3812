"""Words of code that stand for another behaviour than the ones that took their place."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect
from analysis.diffs.swap_table import SWAPS

Lines = list[str]


_COMPILED: Final = tuple((one, re.compile(one.was, re.MULTILINE), re.compile(one.now, re.MULTILINE)) for one in SWAPS)
_NUMBERED: Final = re.compile(
    r"^\s*(?:optional |repeated |required )?[\w.<>, ]+? (?P<name>\w+) = (?P<number>\d+)\s*[;\[]"
)
_ASSIGNS: Final = re.compile(
    r"^(?:var|const|let|val|static|private static|final|public static)?\s*[\w<>\[\] ]*\w\s*:?=\s*(?:new |await )?"
    r"(?P<call>[\w.]+)\("
)
_CONDITION: Final = re.compile(r"(?i)\b(\w+)\s*(?:=|<|>|<=|>=|in|like)\s*(?:[$:?]\w*|%s|@\w+|\()")


def swapped(removed: Lines, added: Lines) -> Iterator[Effect]:
    """The swaps of a diff, in the order of the table."""
    before, after = "\n".join(removed), "\n".join(added)
    for one, was, now in _COMPILED:
        gone = _only(was, before, after) if one.was else "nothing"
        came = _only(now, after, before) if one.now else "nothing"
        if gone and came and (removed or not one.was):
            told = one.why.format(was=gone.strip(" \"'(")[:40], now=came.strip(" \"'(")[:40])
            about = came if one.now else gone
            yield Effect(one.score, told, (about.strip().lower(),), one.harm, one.only_if, one.calls)
    yield from (
        found for found in (_number(removed, added), _inside(removed, added), _condition(before, after)) if found
    )


def _only(pattern: re.Pattern[str], here: str, there: str) -> str:
    """The first text that the pattern finds here and not there."""
    known = {match.group().strip() for match in pattern.finditer(there)}
    return next((match.group() for match in pattern.finditer(here) if match.group().strip() not in known), "")


def _number(removed: Lines, added: Lines) -> Effect | None:
    """A field of a message that got another number."""
    old, new = (
        {m["name"]: m["number"] for line in lines if (m := _NUMBERED.match(line))} for lines in (removed, added)
    )
    moved = sorted(name for name in old.keys() & new.keys() if old[name] != new[name])
    return Effect(1.25, f"gives {moved[0]} another number", (moved[0].lower(),), "names") if moved else None


def _inside(removed: Lines, added: Lines) -> Effect | None:
    """What was made once, at the margin, and is now made inside of something."""
    once = {m["call"] for line in removed if line[:1].strip() and (m := _ASSIGNS.match(line))}
    each = {m["call"] for line in added if not line[:1].strip() and (m := _ASSIGNS.match(line.strip()))}
    both = sorted(name for name in once & each if len(name) > 3)
    return Effect(1.25, f"calls {both[0]} each time, no longer once", (both[0].lower(),), "leak") if both else None


def _condition(before: str, after: str) -> Effect | None:
    """A condition of a query that is gone while the query is still there."""
    lost = sorted(
        {name.lower() for name in _CONDITION.findall(before)} - {name.lower() for name in _CONDITION.findall(after)}
    )
    if not lost or not re.search(r"(?i)\bwhere\b", after):
        return None
    return Effect(1.25, f"no longer asks for {lost[0]}", (lost[0],))
