"""Two runs of `fishbone eval` against each other, case by case."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from app.grades import Grade
from domain.codec import Json
from domain.errors import BadConfiguration

MOVED: Final = 0.1  # a confidence that moved by this much is told
MOST_NAMES: Final = 12
FIGURES: Final = ("top1", "top3", "abstained", "confident_wrong")
Earlier = dict[str, dict[str, Json]]  # what an earlier run said of each bundle, by set and id


def read_run(file: Path) -> Earlier:
    """A file that `--json` wrote, this program's or the scorer's. Raises BadConfiguration."""
    try:
        told = json.loads(file.read_text("utf-8"))
        return {f"{each['group']}/{each['id']}": {"top1": each["top1"], **each} for each in told["bundles"]}
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise BadConfiguration(f"--compare {file}: no grades that `fishbone eval --json` wrote: {exc}") from exc


def changes(before: Earlier, grades: Sequence[Grade]) -> Iterator[str]:
    """Lines: won, lost and changed cases, cases of one run alone, and what that makes of the cases of both."""
    now = {grade.key: grade for grade in grades}
    common = [key for key in now if key in before]
    for word, keys in _sorted_out(before, now, common).items():
        yield f"{word}: {len(keys)}"
        yield from (f"  {key}: {_told(before[key])} -> {_said(now[key])}" for key in keys)
    for word, alone in (("only now", now.keys() - before.keys()), ("only before", before.keys() - now.keys())):
        if alone:
            more = ", ..." if len(alone) > MOST_NAMES else ""
            yield f"{word}: {len(alone)} ({', '.join(sorted(alone)[:MOST_NAMES])}{more})"
    for name in FIGURES:
        old, new = sum(bool(before[key].get(name)) for key in common), sum(getattr(now[key], name) for key in common)
        yield f"{name}: {old} -> {new} of {len(common)}"


def _sorted_out(before: Earlier, now: dict[str, Grade], keys: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"won": [], "lost": [], "changed": []}
    for key in keys:
        old, new = before[key], now[key]
        if bool(old["top1"]) != new.top1:
            found["won" if new.top1 else "lost"].append(key)
        elif _differs(old, new):
            found["changed"].append(key)
    return found


def _differs(old: dict[str, Json], new: Grade) -> bool:
    moved = abs((old.get("confidence") or 0.0) - (new.confidence or 0.0)) >= MOVED
    same = all(old.get(name) == getattr(new, name) for name in ("verdict", "entity", "fault", "top3"))
    return moved or not same


def _told(old: dict[str, Json]) -> str:
    sure = old.get("confidence")
    return _words(str(old.get("verdict")), str(old.get("entity") or ""), str(old.get("fault") or ""), sure)


def _said(new: Grade) -> str:
    return f"failed: {new.error}" if new.error else _words(new.verdict, new.entity, new.fault, new.confidence)


def _words(verdict: str, entity: str, fault: str, sure: float | None) -> str:
    return verdict if not entity else f"{entity} {fault}" + ("" if sure is None else f" {sure:.2f}")
