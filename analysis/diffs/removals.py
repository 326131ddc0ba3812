"""What a diff does: whether it only moves code, or takes a guard, a call or a name away that others relied on."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from analysis.diffs.backtracking import goes_back
from analysis.diffs.bounds import changed_bound, raised
from analysis.diffs.effect import LOSES_NAME, NOTHING, Effect
from analysis.diffs.own_harm import own_harm
from analysis.diffs.shapes import changed_key_word, repeated
from analysis.diffs.swaps import swapped
from analysis.diffs.transactions import spans_a_call
from analysis.diffs.unsaid import unsaid
from analysis.diffs.values import says_otherwise
from analysis.diffs.ways import asks_again, left_open, made_anew
from analysis.diffs.whole import does_otherwise

# Words of code that hold something back or in order. A change that loses one without putting it elsewhere is how most
# "simplify" commits break things: a nil check, a lock, a limit, a tolerance, a time-out, a batch.
_GUARD: Final = re.compile(
    r"\b(nil|null|none|undefined|lock|unlock|mutex|mu|synchronized|leeway|tolerance|skew|limit|max\w*|min\w*|timeout|"
    r"deadline|retry|retries|backoff|batch\w*|chunk\w*|close|release|free|rollback|commit|await|validate|escape|"
    r"evict\w*|"
    r"ttl|expire\w*|semaphore|circuit\w*|breaker|transaction|atomic\w*|idempoten\w*|fallback|recover|"
    r"orelse\w*|getordefault|with_for_update|lockforupdate|pessimistic_write|transactional|volatile|preload|"
    r"keep_?alive|prefetch_related|select_related|"
    r"joinedload|(?:create|add|ensure|db)_?index)\b",
    re.IGNORECASE,
)
_GUARDS: Final = (  # what goes wrong without them
    ("null", re.compile(r"nil|null|none|undefined|fallback|recover|orelse|getordefault")),
    (
        "race",
        re.compile(
            r"lock|unlock|mutex|mu$|synchronized|semaphore|transaction|atomic|idempoten|with_for|pessimistic|volatile"
        ),
    ),
    (
        "load",
        re.compile(r"batch|chunk|preload|prefetch|select_related|joinedload|index|create_index|add_index|db_index"),
    ),
    ("time", re.compile(r"leeway|tolerance|skew|expire|ttl")),
    ("leak", re.compile(r"close|release|free|timeout|deadline|limit|max|evict|rollback")),
)
_INSTEAD: Final = (  # words that guard as well as others do
    ({"with", "using", "defer", "finally", "try"}, {"close", "release", "free", "unlock"}),
    ({"optional", "ofnullable", "orelse", "option", "notnull", "isempty"}, {"nil", "null", "none", "undefined"}),
    ({"then", "blockingget"}, {"await"}),
)
_FOR_PEOPLE: Final = re.compile(
    r"(?i)^\s*[\"']?(?:title|label|description|text|heading|placeholder|tooltip|caption|subject|summary|classname)"
    r"[\"']?\s*[:=]\s*"
    r"[\"'][^\"']*[\"'],?\s*$|\bclassname=|"
    r"\b(?:http\.error|errors\.new|errorf|raise|throw|panic|abort)\b|^\s*(?:import|from|require|using|#include)\b"
)
_BOUNDED: Final = re.compile(r"lru|evict|bounded|max|limit|ttl|cap\b|reset|clear", re.IGNORECASE)
_GROWS: Final = re.compile(r"\b\w+ = append\(|\.append\(|\.push\(", re.IGNORECASE)
_CALL: Final = re.compile(r"\b(\w+)\(")
_TEXT: Final = re.compile(r"""["'`]([A-Za-z_][\w.-]+)["'`:]""")  # names in quotes: fields, keys, tables
_COMPOUND: Final = re.compile(r"\b(?:[A-Za-z]+_\w{3,}|[A-Za-z]{3,}[a-z][A-Z]\w{3,})\b")
_TOKEN: Final = re.compile(r"[A-Za-z_]\w+|\d+")
_COMMENT: Final = re.compile(r"^\s*(//|#(?!include)|\*|/\*|--|<!--)")
_LOGGING: Final = re.compile(r"\blog(ger|ging)?\b|\.(Info|Debug|Msg|Printf?)\(|console\.", re.IGNORECASE)
_DEPENDENCY: Final = re.compile(r"[A-Za-z@][\w./@-]*[A-Za-z]")
_VERSION: Final = re.compile(r"\bv?(\d+)\.(\d+)\.\d+")
_DROPS: Final = re.compile(
    r"\b(drop\s+(?:index|table|column|constraint|view)|rename\s+(?:column|to)|"
    r"truncate\s+table)\b(?P<what>[^;,)]{0,60})",
    re.IGNORECASE,
)
DROPS: Final = 1.5  # a part of the schema that queries rely on
LOSES_GUARD: Final = 1.5
REPEATS: Final = 1.5  # asks once for each item what was asked once for all
REKEYS: Final = 1.5  # what is kept under the key is not found again, or is found by others
GROWS: Final = 1.0  # keeps something for ever
MOVES: Final = -1.5  # all that was taken away is put elsewhere
PATCHES: Final = -1.5  # another patch release of what it depends on
UPGRADES: Final = 1.0  # another major release of what it depends on: whose interface is another by agreement
LOGS: Final = -1.5  # says something, does nothing
MOVED: Final = 0.9  # share of the removed words that come back


def effect(diff: str, failing: str = "") -> Effect:
    """The effect of a unified diff; 0 where nothing can be told, as for a diff that only adds.

    Where a diff does several things, the one that `failing` (what alerts and logs say) complains of is told.
    """
    removed, added = _lines(diff, "-"), _lines(diff, "+")
    if not removed and not added:
        return NOTHING
    if _patches(removed, added):
        return Effect(PATCHES, "a patch release of a dependency")
    if upgraded := _upgraded(removed, added):
        return Effect(UPGRADES, f"moves {upgraded} to another major version", (upgraded.lower(),))
    if _only_logs(removed, added):
        return Effect(LOGS, "touches only logging")
    code = _code(removed, added)
    best = max((*_shapes(diff, removed, added), code), key=lambda one: one.under(failing))
    worth = best.under(failing)
    return replace(best, score=worth) if worth > 0 else code


def _shapes(diff: str, removed: list[str], added: list[str]) -> Iterator[Effect]:
    """All that is known to hurt, the surest first."""
    before, after = "\n".join(removed), "\n".join(added)
    if dropped := _DROPS.search(after):
        harm = "slow" if "index" in dropped.group().lower() else "names"
        yield Effect(DROPS, f"runs {' '.join(dropped.group().split())}", (dropped.group().strip().lower(),), harm)
    yield from (found for found in (changed_bound(before, after), repeated_call(diff), changed_key(diff)) if found)
    yield from (found for found in (raised(before, after),) if found)
    yield from left_open(diff, removed, added)
    yield from asks_again(removed, added)
    yield from made_anew(diff, removed, added)
    yield from says_otherwise(removed, added)
    yield from does_otherwise(removed, added)
    yield from swapped(removed, added)
    yield from goes_back(removed, added)
    yield from spans_a_call(diff)
    yield from unsaid(removed, added)
    yield from own_harm(diff, removed, added)


def repeated_call(diff: str) -> Effect | None:
    """A call that now runs once for each item of a loop."""
    call = repeated(diff)
    why = f"calls {call} once for each item"
    return Effect(REPEATS, why, (call.lower(),), "load", calls=True) if call else None


def changed_key(diff: str) -> Effect | None:
    """A key that got a part which is never the same twice, or lost one that told things apart."""
    found = changed_key_word(diff)
    if found is None:
        return None
    word, new = found
    why = f"makes {word}, which is new each time, part of a key" if new else f"takes {word} out of a key"
    return Effect(REKEYS, why, (word.lower(),), "load" if new else "none", calls=new)


def telling_line(diff: str, names_of: tuple[str, ...]) -> tuple[int, str] | None:
    """Number (from 1) and text of the changed line that shows the effect: the first that holds one of the names."""
    changed = [
        (number, line)
        for number, line in enumerate(diff.splitlines(), 1)
        if line[:1] in ("-", "+") and line[:3] not in ("---", "+++") and not _COMMENT.match(line[1:])
    ]
    holding = [(number, line) for number, line in changed if any(name in line.lower() for name in names_of)]
    return next(iter([*holding, *changed]), None)


def _only_logs(removed: list[str], added: list[str]) -> bool:
    logs = all(_LOGGING.search(line) or not _CALL.search(line) for line in removed + added)
    return logs and any(_LOGGING.search(line) for line in added)


def _code(removed: list[str], added: list[str]) -> Effect:
    before, after = "\n".join(removed), "\n".join(added)
    guards = _missing(_words(_GUARD, before), _words(_TOKEN, after))
    if guards:
        harm = next((kind for kind, words in _GUARDS if any(words.match(each) for each in guards)), "none")
        return replace(_loses(LOSES_GUARD, guards), harm=harm, calls=harm == "load")
    if (grows := _GROWS.search(after)) and not _GROWS.search(before) and not _BOUNDED.search(after):
        return Effect(GROWS, "adds to something that it never empties", (grows.group().lower(),), "leak")
    return _names_or_moves(before, after)


def _missing(guards: set[str], words: set[str]) -> set[str]:
    """The guards that are gone; not one that a longer word begins with (`closeQuietly`) or another one replaces."""
    instead = {guard for others, of in _INSTEAD if words & others for guard in of}
    return {
        guard
        for guard in guards - instead
        if not any(word == guard or (len(guard) > 4 and word.startswith(guard)) for word in words)
    }


def names(diff: str) -> set[str]:
    """Telling identifiers of the changed code: compound ones, such as a table, a field or a function has."""
    return set(_COMPOUND.findall("\n".join(_lines(diff, "+") + _lines(diff, "-"))))


def _names_or_moves(before: str, after: str) -> Effect:
    words = _words(_TOKEN, before)
    kept = len(words & _words(_TOKEN, after)) / len(words) if words else 0.0
    # a name in quotes is a promise to others, so it counts before how much of the rest only moved
    gone = (_words(_TEXT, _for_programs(before)) - _words(_TEXT, after)) or (
        _words(_CALL, before) if before and not after else set()
    )
    if gone:
        return replace(_loses(LOSES_NAME, gone), harm="names", loses_name=True)
    return Effect(MOVES, "moves code without taking any away") if words and kept >= MOVED else NOTHING


def _for_programs(code: str) -> str:
    """The lines whose texts other programs rely on, not people."""
    return "\n".join(line for line in code.splitlines() if not _FOR_PEOPLE.search(line))


def _loses(score: float, gone: set[str]) -> Effect:
    first = tuple(sorted(gone)[:3])
    return Effect(score, f"removes {', '.join(first)}", first)


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


def _upgraded(removed: list[str], added: list[str]) -> str:
    """The dependency that goes to another major release, of a diff that changes versions alone."""
    if not removed or len(removed) != len(added):
        return ""
    found = ""
    for old, new in zip(removed, added, strict=True):
        was, now = _VERSION.search(old), _VERSION.search(new)
        if not was or not now or old[: was.start()].strip() != new[: now.start()].strip():
            return ""
        if was[1] != now[1] and (name := _DEPENDENCY.search(old[: was.start()].rpartition("(")[2])):
            found = found or name[0]
    return found
