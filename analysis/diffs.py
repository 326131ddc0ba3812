"""What a diff does: whether it only moves code, or takes a guard, a call or a name away that others relied on."""

import re
from dataclasses import dataclass
from typing import Final

from analysis.diff_shapes import changed_key_word, repeated

# Words of code that hold something back or in order. A change that loses one without putting it elsewhere is how most
# "simplify" commits break things: a nil check, a lock, a limit, a tolerance, a time-out, a batch.
_GUARD: Final = re.compile(
    r"\b(nil|null|none|undefined|lock|unlock|mutex|mu|synchronized|leeway|tolerance|skew|limit|max\w*|min\w*|timeout|"
    r"deadline|retry|retries|backoff|batch\w*|chunk\w*|close|release|free|rollback|commit|await|validate|escape|evict\w*|"
    r"ttl|expire\w*|semaphore|circuit\w*|breaker|transaction|atomic|idempoten\w*|preload|prefetch_related|select_related|"
    r"joinedload|(?:create|add|ensure|db)_?index)\b",
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
_DEPENDENCY: Final = re.compile(r"[A-Za-z@][\w./@-]*[A-Za-z]")
_VERSION: Final = re.compile(r"\bv?(\d+)\.(\d+)\.\d+")
# A setting that holds work or time within bounds, and one that multiplies work when others already fail.
_BOUND: Final = re.compile(
    r"pool|size|limit|timeout|deadline|capacity|memory|cpu|replica|conn|worker|thread|ttl|buffer|interval|period|quota|"
    r"concurren|heap|budget|entries|backlog|rate",
    re.IGNORECASE,
)
_EFFORT: Final = re.compile(r"retr(y|ies)|attempt|fan.?out|parallel", re.IGNORECASE)
_SETTING: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*(?:[:=(,]|:=|->|to)+\s*[\"']?(?P<number>\d+(?:\.\d+)?)(?:\s*\*\s*time\.)?"
    r"\s*(?P<unit>[A-Za-z]*)"
)
_TOLD: Final = re.compile(  # a change of a setting as people write it: pool size 50 -> 5, replicas from 4 to 1
    r"(?P<name>[A-Za-z_][\w.-]*(?:\s(?!from\b)[A-Za-z_][\w.-]*)?)[:=]?\s+(?:from\s+)?(?P<old>\d+(?:\.\d+)?\s?[A-Za-z]{0,3})\s*"
    r"(?:->|=>|\u2192|to)\s*(?P<new>\d+(?:\.\d+)?\s?[A-Za-z]{0,3})\b"
)
_UNITS: Final = {
    "s": 1.0, "second": 1.0, "seconds": 1.0, "ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "m": 60.0,
    "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0, "ki": 2.0**10, "mi": 2.0**20,
    "gi": 2.0**30, "kb": 1e3, "mb": 1e6, "gb": 1e9,
}  # fmt: skip
_DROPS: Final = re.compile(
    r"\b(drop\s+(?:index|table|column|constraint|view)|rename\s+(?:column|to)|truncate\s+table)\b(?P<what>[^;,)]{0,60})",
    re.IGNORECASE,
)
DROPS: Final = 1.5  # a part of the schema that queries rely on
LOWERS: Final = 1.5  # a bound becomes half of what it was or less: what fitted before no longer does
RAISES: Final = 1.0  # more of what multiplies load
TIMES: Final = 2.0  # less than that is tuning
LOSES_GUARD: Final = 1.5
REPEATS: Final = 1.5  # asks once for each item what was asked once for all
REKEYS: Final = 1.5  # what is kept under the key is not found again, or is found by others
LOSES_NAME: Final = 1.0  # a field, key or call that was there is gone: whoever relied on it finds nothing
GROWS: Final = 1.0  # keeps something for ever
MOVES: Final = -1.5  # all that was taken away is put elsewhere
PATCHES: Final = -1.5  # another patch release of what it depends on
UPGRADES: Final = 1.0  # another major release of what it depends on: whose interface is another by agreement
LOGS: Final = -1.5  # says something, does nothing
MOVED: Final = 0.9  # share of the removed words that come back


@dataclass(frozen=True)
class Effect:
    """What a diff is likely to do."""

    score: float
    why: str = ""
    names: tuple[str, ...] = ()  # what it is about, in small letters: a line of the diff holds one of them

    @property
    def loses_name(self) -> bool:
        """Whether all that it does is to take a name away."""
        return self.score == LOSES_NAME and self.why.startswith("removes ")


NOTHING: Final = Effect(0.0)


def effect(diff: str) -> Effect:
    """The effect of a unified diff; 0 where nothing can be told, as for a diff that only adds."""
    removed, added = _lines(diff, "-"), _lines(diff, "+")
    if not removed and not added:
        return NOTHING
    before, after = "\n".join(removed), "\n".join(added)
    if _patches(removed, added):
        return Effect(PATCHES, "a patch release of a dependency")
    if upgraded := _upgraded(removed, added):
        return Effect(UPGRADES, f"moves {upgraded} to another major version", (upgraded.lower(),))
    if dropped := _DROPS.search(after):
        return Effect(DROPS, f"runs {' '.join(dropped.group().split())}", (dropped.group().strip().lower(),))
    return changed_bound(before, after) or repeated_call(diff) or changed_key(diff) or _code(removed, added)


def changed_bound(before: str, after: str) -> Effect | None:
    """A bound that is lowered to half or less, or retries that are doubled or more; None where there is neither."""
    old, new = _settings(before), _settings(after)
    for name in sorted(old.keys() & new.keys()):
        (was, told_was), (now, told_now) = old[name], new[name]
        if _BOUND.search(name) and now <= was / TIMES:
            return Effect(LOWERS, f"lowers {name} from {told_was} to {told_now}", (name,))
        if _EFFORT.search(name) and now >= was * TIMES > 0:
            return Effect(RAISES, f"raises {name} from {told_was} to {told_now}", (name,))
    return None


def repeated_call(diff: str) -> Effect | None:
    """A call that now runs once for each item of a loop."""
    call = repeated(diff)
    return Effect(REPEATS, f"calls {call} once for each item", (call.lower(),)) if call else None


def changed_key(diff: str) -> Effect | None:
    """A key that got a part which is never the same twice, or lost one that told things apart."""
    found = changed_key_word(diff)
    if found is None:
        return None
    word, new = found
    why = f"makes {word}, which is new each time, part of a key" if new else f"takes {word} out of a key"
    return Effect(REKEYS, why, (word.lower(),))


def told_bound(summary: str) -> Effect | None:
    """A bound that a change says it lowered, for changes whose diff nobody recorded."""
    told = _TOLD.search(summary)
    return changed_bound(f"{_joined(told)}={told['old']}", f"{_joined(told)}={told['new']}") if told else None


def _joined(told: re.Match[str]) -> str:
    return re.sub(r"\s", "_", told["name"])


def _settings(text: str) -> dict[str, tuple[float, str]]:
    """Names with the number they are set to, in one unit and as written."""
    return {
        match["name"].lower(): (
            float(match["number"]) * _UNITS.get(match["unit"].lower(), 1.0),
            match["number"] + (f" {match['unit']}" if match["unit"].lower() in _UNITS else ""),
        )
        for match in _SETTING.finditer(text)
    }


def telling_line(diff: str, names_of: tuple[str, ...]) -> tuple[int, str] | None:
    """Number (from 1) and text of the changed line that shows the effect: the first that holds one of the names."""
    changed = [
        (number, line)
        for number, line in enumerate(diff.splitlines(), 1)
        if line[:1] in ("-", "+") and line[:3] not in ("---", "+++") and not _COMMENT.match(line[1:])
    ]
    holding = [(number, line) for number, line in changed if any(name in line.lower() for name in names_of)]
    return next(iter([*holding, *changed]), None)


def _code(removed: list[str], added: list[str]) -> Effect:
    before, after = "\n".join(removed), "\n".join(added)
    if all(_LOGGING.search(line) or not _CALL.search(line) for line in removed + added) and _LOGGING.search(after):
        return Effect(LOGS, "touches only logging")
    guards = _words(_GUARD, before) - _words(_TOKEN, after)
    if guards:
        return _loses(LOSES_GUARD, guards)
    if (grows := _GROWS.search(after)) and not _GROWS.search(before) and not _BOUNDED.search(after):
        return Effect(GROWS, "adds to something that it never empties", (grows.group().lower(),))
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
        return _loses(LOSES_NAME, gone)
    return Effect(MOVES, "moves code without taking any away") if words and kept >= MOVED else NOTHING


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
        if was[1] != now[1] and (name := _DEPENDENCY.search(old)):
            found = found or name[0]
    return found
