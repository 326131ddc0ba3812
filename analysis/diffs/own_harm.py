"""The shapes that are a reason only where their very harm is complained of."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from analysis.diffs.effect import Effect
from analysis.diffs.shape_table import SHAPES

Lines = list[str]
_SHOWN: Final = 50  # characters of what was found
_NOTHING: Final = re.compile(r"(?!)")
_COMPILED: Final = tuple(
    (
        one,
        re.compile(one.was, re.MULTILINE) if one.was else None,
        re.compile(one.now, re.MULTILINE) if one.now else None,
        re.compile(one.unless) if one.unless else _NOTHING,
    )
    for one in SHAPES
)
_LOCKS: Final = re.compile(r"(?i)\b(?:lock|acquire|synchronized)\w*\s*\(\s*(\w+)|\b(\w+)\.(?:lock|acquire|Lock)\(")
_ACKS: Final = re.compile(
    r"(?i)\b(?:basic_?)?ack\w*\s*\(|\.commit(?:_?(?:sync|async|offsets?))?\s*\(|delete_?message\w*\s*\("
)
_ARGUMENT: Final = re.compile(r"(?P<call>\w+)\((?:[^()]*,)?\s*(?P<number>\d[\d_]*)\s*[,)]")
_TYPED: Final = re.compile(
    r"^\s*(?:(?:private|public|protected|final|val|var|"
    r"readonly)\s+)*(?P<type>[A-Za-z][\w<>\[\]]*)\s+(?P<name>\w+)\s*;"
)
_OF_TYPE: Final = re.compile(
    r"^\s*(?:(?:private|public|protected|final|val|var|"
    r"readonly)\s+)*(?P<name>\w+)\??\s*:\s*(?P<type>[A-Z]\w+[\w<>\[\]?]*)\s*[,;]?\s*$"
)
_TIMES: Final = 2.0
_MOST: Final = 20  # numbers of one line's shape that are compared with as many


def own_harm(diff: str, removed: Lines, added: Lines) -> Iterator[Effect]:
    """What of these shapes the diff has, in the order of the table."""
    before, after = "\n".join(removed), "\n".join(added)
    for one, was, now, unless in _COMPILED:
        gone = _only(was, before, after) if was else ""
        came = _only(now, after, before) if now else ""
        if (was and not gone) or (now and not came) or unless.search(after):
            continue
        told = one.why.format(was=_short(gone), now=_short(came))
        about = (came or gone).strip().lower()
        yield Effect(one.score, told, (about,), one.harm, only_if=True, calls=one.calls)
    found = (_lock_order(before, after), _early_ack(diff), _argument(removed, added), _retyped(removed, added))
    yield from (each for each in found if each)


def _only(pattern: re.Pattern[str], here: str, there: str) -> str:
    """The first text that the pattern finds here, and not the same there."""
    known = {match.group().strip() for match in pattern.finditer(there)}
    found = (match.group() for match in pattern.finditer(here))
    return next((text for text in found if text.strip() and text.strip() not in known), "")


def _short(text: str) -> str:
    return " ".join(text.strip(" \"':({").removeprefix("- ").split())[:_SHOWN]


def _lock_order(before: str, after: str) -> Effect | None:
    """The same locks, taken in another order."""
    was, now = (["".join(pair) for pair in _LOCKS.findall(text)] for text in (before, after))
    if len(was) > 1 and was != now and sorted(was) == sorted(now):
        return Effect(1.25, f"takes locks in another order ({', '.join(now)})", (now[0].lower(),), "race", only_if=True)
    return None


def _early_ack(diff: str) -> Effect | None:
    """A message that is acknowledged before it is worked on, and was afterwards."""
    lines = diff.splitlines()
    gone, came = _acks(lines, "-"), _acks(lines, "+")
    same = (pair for text in gone.keys() & came.keys() for pair in zip(gone[text], came[text], strict=False))
    for old, new in sorted(same):
        later = [line for line in lines[new + 1 : max(new, old) + 3] if line[:1] in "+ \t"]
        calls_after = any("(" in line for line in later)
        calls_before = any("(" in line for line in lines[max(0, old - 2) : old] if line[:1] in "- \t")
        if (new < old or calls_before) and calls_after:
            word = lines[new][1:].strip()
            return Effect(1.25, "acknowledges before the work is done", (word.lower(),), "lost", only_if=True)
    return None


def _acks(lines: Lines, sign: str) -> dict[str, list[int]]:
    """The places of each acknowledgement on one side of the diff."""
    found: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if line[:1] == sign and _ACKS.search(line):
            found.setdefault(line[1:].strip(), []).append(at)
    return found


def _argument(removed: Lines, added: Lines) -> Effect | None:
    """A number handed to a call that is twice or half of what it was, in lines that are else the same."""
    after = _handed(added)
    for (call, bare), numbers in _handed(removed).items():
        for was, now in product(numbers, after.get((call, bare), ())):
            a, b = int(was.replace("_", "")), int(now.replace("_", ""))
            if a and b and (b >= _TIMES * a or a >= _TIMES * b or _costs(call, a, b)):
                why = f"hands {now} to {call}, not {was}"
                return Effect(1.0, why, (call.lower(),), "load", only_if=True, calls=b < a)
    return None


def _handed(lines: Lines) -> dict[tuple[str, str], list[str]]:
    """The numbers handed to each call, by its line without numbers: a few for each, so that none is told by chance."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if match := _ARGUMENT.search(line):
            numbers = found.setdefault((match["call"], re.sub(r"\d[\d_]*", "#", line.strip())), [])
            if len(numbers) < _MOST and match["number"] not in numbers:
                numbers.append(match["number"])
    return found


def _costs(call: str, was: int, now: int) -> bool:
    """Whether it is a number of which each step doubles the work."""
    return now > was and re.search(r"(?i)hash|salt|bcrypt|kdf|scrypt", call) is not None


def _retyped(removed: Lines, added: Lines) -> Effect | None:
    """A field that keeps its name and is of another type."""
    was, now = _types(removed), _types(added)
    for name in sorted(was.keys() & now.keys()):
        if was[name] != now[name]:
            why = f"makes {name} a {now[name]} that was a {was[name]}"
            return Effect(1.0, why, (now[name].lower(),), "form", only_if=True)
    return None


def _types(lines: Lines) -> dict[str, str]:
    found = (match for line in lines if (match := _TYPED.match(line) or _OF_TYPE.match(line)))
    return {match["name"]: match["type"] for match in found if match["type"] not in ("return", "import", "package")}
