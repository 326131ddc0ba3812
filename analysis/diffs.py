"""What a diff does: whether it only moves code, or takes a guard, a call or a name away that others relied on."""

import re
from dataclasses import dataclass
from typing import Final

# Words of code that hold something back or in order. A change that loses one without putting it elsewhere is how most
# "simplify" commits break things: a nil check, a lock, a limit, a tolerance, a time-out, a batch.
_GUARD: Final = re.compile(
    r"\b(nil|null|none|undefined|lock|unlock|mutex|mu|synchronized|leeway|tolerance|skew|limit|max\w*|min\w*|timeout|"
    r"deadline|retry|retries|backoff|batch\w*|chunk\w*|close|release|free|rollback|commit|await|validate|escape|evict\w*|"
    r"ttl|expire\w*)\b",
    re.IGNORECASE,
)
_BOUNDED: Final = re.compile(r"lru|evict|bounded|max|limit|ttl|cap\b|reset|clear", re.IGNORECASE)
_GROWS: Final = re.compile(r"\b\w+ = append\(|\.append\(|\.push\(", re.IGNORECASE)
_CALL: Final = re.compile(r"\b(\w+)\(")
_TEXT: Final = re.compile(r"""["'`]([A-Za-z_][\w.-]*)["'`:]""")  # names in quotes: fields, keys, tables
_COMPOUND: Final = re.compile(r"\b(?:[A-Za-z]+_\w{3,}|[A-Za-z]{3,}[a-z][A-Z]\w{3,})\b")
_TOKEN: Final = re.compile(r"[A-Za-z_]\w+|\d+")
_COMMENT: Final = re.compile(r"^\s*(//|#(?!include)|\*|/\*|--|<!--)")
_LOGGING: Final = re.compile(r"\blog(ger|ging)?\b|\.(Info|Debug|Msg|Printf?)\(|console\.", re.IGNORECASE)
_VERSION: Final = re.compile(r"\bv?(\d+)\.(\d+)\.\d+")
LOSES_GUARD: Final = 1.5
LOSES_NAME: Final = 1.0  # a field, key or call that was there is gone: whoever relied on it finds nothing
GROWS: Final = 1.0  # keeps something for ever
MOVES: Final = -1.5  # all that was taken away is put elsewhere
PATCHES: Final = -1.5  # another patch release of what it depends on
LOGS: Final = -1.5  # says something, does nothing
MOVED: Final = 0.9  # share of the removed words that come back


@dataclass(frozen=True)
class Effect:
    """What a diff is likely to do."""

    score: float
    why: str = ""


def effect(diff: str) -> Effect:
    """The effect of a unified diff; 0 where nothing can be told, as for a diff that only adds."""
    removed, added = _lines(diff, "-"), _lines(diff, "+")
    if not removed and not added:
        return Effect(0.0)
    before, after = "\n".join(removed), "\n".join(added)
    if _patches(removed, added):
        return Effect(PATCHES, "a patch release of a dependency")
    if all(_LOGGING.search(line) or not _CALL.search(line) for line in removed + added) and _LOGGING.search(after):
        return Effect(LOGS, "touches only logging")
    guards = _words(_GUARD, before) - _words(_TOKEN, after)
    if guards:
        return Effect(LOSES_GUARD, f"takes away {', '.join(sorted(guards)[:3])}")
    if _GROWS.search(after) and not _GROWS.search(before) and not _BOUNDED.search(after):
        return Effect(GROWS, "adds to something that it never empties")
    return _names_or_moves(before, after)


def names(diff: str) -> set[str]:
    """Telling identifiers of the changed code: compound ones, such as a table, a field or a function has."""
    return set(_COMPOUND.findall("\n".join(_lines(diff, "+") + _lines(diff, "-"))))


def _names_or_moves(before: str, after: str) -> Effect:
    words = _words(_TOKEN, before)
    kept = len(words & _words(_TOKEN, after)) / len(words) if words else 0.0
    # a name in quotes is a promise to others, so it counts before how much of the rest only moved
    gone = (_words(_TEXT, before) - _words(_TEXT, after)) or (_words(_CALL, before) if before and not after else set())
    if gone:
        return Effect(LOSES_NAME, f"takes away {', '.join(sorted(gone)[:3])}")
    return Effect(MOVES, "moves code without taking any away") if words and kept >= MOVED else Effect(0.0)


def _lines(diff: str, sign: str) -> list[str]:
    """The changed lines of one sign, without file headers and comments."""
    changed = [line[1:] for line in diff.splitlines() if line.startswith(sign) and not line.startswith(sign * 3)]
    return [line for line in changed if line.strip() and not _COMMENT.match(line)]


def _words(pattern: re.Pattern[str], text: str) -> set[str]:
    return {match.lower() for match in pattern.findall(text)}


def _patches(removed: list[str], added: list[str]) -> bool:
    """Whether every changed line is a version, and all stay within their minor release."""
    old, new = ([_VERSION.search(line) for line in lines] for lines in (removed, added))
    if not old or len(old) != len(new):
        return False
    return all(a and b and a.groups() == b.groups() for a, b in zip(old, new, strict=True))
