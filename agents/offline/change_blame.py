"""The change to blame, if any: which diffs to read, and the finding about the one that explains the symptom."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Final

from agents.offline.changes_near import change_entity, cited
from agents.tactic import Call, Observation
from analysis.changes import HARM, Suspicion, guilty, suspicions, worth_reading
from analysis.diffs.removals import telling_line
from analysis.text import clip
from domain.codec import from_plain
from domain.entity import KINDS, kind_of, name_of
from domain.evidence import Citation, Finding, Severity
from domain.plan import Task
from domain.results import Change, Changes, Lines, Template, Templates

DIFFS: Final = 10  # to read: of suspects without their diff the guilty one was never below the fifth
TEMPLATES: Final = 60
OTHERS: Final = 2  # less likely ones that are named, too
OTHER_WEIGHT: Final = 0.3
BASE: Final = 0.55
SURE_EFFECT: Final = 1.5  # what takes a guard away says more than what takes a name away
LIKELY: Final = 0.15  # less for what good changes do as well
CLOSE: Final = 4.0  # score of a change that was live, at or near the symptom
REPEATED: Final = 3  # times: what is said once or twice may be chance
SLACK: Final = timedelta(seconds=90)  # a deploy is recorded when its roll-out ends; the first new pod errs before
QUOTE: Final = (12, 300)
_SEVERE: Final = ("error", "fatal", "critical")
_WARNS: Final = ("warn", "warning")
_MESSAGES: Final = ("msg", "message", "error", "err", "exception", "event", "log")
_SETTINGS: Final = (".yaml", ".yml", ".json", ".toml", ".ini", ".conf", ".env", ".properties", ".cfg", ".tf", ".hcl")


def follow_up(task: Task, observations: Sequence[Observation]) -> tuple[Call, ...]:
    """The diffs of the most plausible changes, and what logs began to say; nothing where nothing was changed."""
    found = changes_of(observations)
    if not found or any(seen.tool in ("changes_diff", "logs_novel") for seen in observations):
        return ()
    wanted = worth_reading(suspicions(found, _symptom(task), _told(task), {}), DIFFS)
    if not wanted and not any(one.kind == "flag" for one in found):
        return ()
    return (*(Call("changes_diff", {"change": one.id}) for one in wanted),
            Call("logs_novel", {"moment": task.fired_at, "top": TEMPLATES}))  # fmt: skip


def blame(task: Task, observations: Sequence[Observation]) -> list[Finding]:
    """The guilty change and at most two that might be instead; empty where none has a reason in what it did."""
    novel = _novel(observations)
    read = _diffs(observations)
    found = [one for one in changes_of(observations) if not _too_late(one, _onset(task, novel))]
    heard = _novel(observations, (*_SEVERE, *_WARNS))
    texts = [*_told(task), *(_message(each) for each in heard)]
    diffs = {change: "\n".join(line.text for line in lines.lines) for change, (_, lines) in read.items()}
    ranked = suspicions(found, _symptom(task), texts, diffs, _complaining(heard), _began(heard))
    first = guilty(ranked)
    if first is None:
        return []
    others = [one for one in ranked if one is not first and one.effect > 0 and guilty([one])][:OTHERS]
    weighed = [(first, _weight(first, bool(novel))), *((one, OTHER_WEIGHT) for one in others)]
    return [_finding(task, one, weight, observations, read.get(one.change.id)) for one, weight in weighed]


def changes_of(observations: Sequence[Observation]) -> tuple[Change, ...]:
    """The changes that were listed."""
    return tuple(change for _, found in _listed(observations) for change in found.changes)


def _listed(observations: Sequence[Observation]) -> Iterator[tuple[str, Changes]]:
    for seen in observations:
        if seen.tool == "changes_before" and seen.data:
            yield seen.call_id, from_plain(Changes, seen.data)


def _symptom(task: Task) -> str:
    about = task.entities[0] if task.entities else ""
    return name_of(about) if kind_of(about) in KINDS else about


def _told(task: Task) -> list[str]:
    return [task.title, *(text for alert in task.alerts for text in alert.annotations.values())]


def _novel(observations: Sequence[Observation], levels: Sequence[str] = _SEVERE) -> list[Template]:
    """New or bursting lines of these levels."""
    found = [from_plain(Templates, seen.data) for seen in observations if seen.tool == "logs_novel" and seen.data]
    return [each for one in found for each in one.templates if each.level in levels and each.change in ("new", "burst")]


def _complaining(heard: Sequence[Template]) -> frozenset[str]:
    """Whose logs hold the new or bursting warnings and errors."""
    return frozenset(PurePosixPath(each.source).name.partition(".")[0] for each in heard)


def _message(of: Template) -> str:
    """What a line says, without the names of its fields: those are in the code that logs, whatever fails."""
    try:
        whole = json.loads(of.sample.text)
    except ValueError:
        return of.text if of.sample.text.lstrip().startswith("{") else of.sample.text
    if not isinstance(whole, dict):
        return of.text
    return " ".join(str(whole[key]) for key in _MESSAGES if isinstance(whole.get(key), str)) or of.text


def _onset(task: Task, novel: Sequence[Template]) -> datetime | None:
    """When the symptom's own log first said something new."""
    about = _symptom(task)
    times = [each.first for each in novel if each.change == "new" and each.first and about and about in each.source]
    return min(times, default=None)


def _began(heard: Sequence[Template]) -> datetime | None:
    """When the first of what logs newly or far more often complain of was said."""
    times = [each.first for each in heard if each.first and each.count >= REPEATED]
    return min(times, default=None)


def _too_late(change: Change, onset: datetime | None) -> bool:
    return bool(onset and change.time and change.time > onset + SLACK)


def _diffs(observations: Sequence[Observation]) -> dict[str, tuple[str, Lines]]:
    return {
        str(seen.arguments.get("change")): (seen.call_id, from_plain(Lines, seen.data))
        for seen in observations
        if seen.tool == "changes_diff" and seen.data
    }


def _weight(one: Suspicion, new_errors: bool) -> float:
    """How sure: by what it does, whether it ran where it hurts, and whether anything new fails at all."""
    weight = BASE + (0.2 if one.effect >= SURE_EFFECT else 0.12)
    weight -= LIKELY if one.does.only_if else 0.0
    weight += 0.15 if one.score >= CLOSE + one.effect else 0.0
    return round(min(weight - (0.0 if new_errors else 0.1), 0.92), 3)


def _finding(
    task: Task, one: Suspicion, weight: float, observations: Sequence[Observation], read: tuple[str, Lines] | None
) -> Finding:
    live = one.deploy or one.change
    place, grounds = _shown(one, read)
    entity = change_entity(one.change)
    kind = _kind(one.change)
    captures = {
        "change": name_of(entity), "service": live.entity or one.change.entity, "did": one.does.why, "file": place,
        "title": one.change.summary, "symptom": clip(_told(task)[-1], 120), "author": one.change.author,
        HARM: "" if one.does.harm == "none" else one.does.harm,
    }  # fmt: skip
    return Finding(
        entity, kind, _statement(one, live, place, task), (*grounds, *_where(one, observations)), live.time,
        severity=Severity.ERROR, weight=weight, signature=f"{kind.replace('.', '-')}/diff",
        captures={name: value for name, value in captures.items() if value},
    )  # fmt: skip


def _statement(one: Suspicion, live: Change, place: str, task: Task) -> str:
    ago = f"{live.minutes_before:.0f} minutes before the alert" if live.minutes_before is not None else "before"
    went = f"went live in {live.entity} {ago}" if one.deploy else f"of {live.entity or 'an unnamed thing'}, {ago},"
    title = f" ({clip(one.change.summary, 80)})" if one.change.summary else ""
    where = f" in {place}" if place else ""
    also = [why for why in one.why if why != one.does.why and not why.startswith("live")]
    more = f"; {'; '.join(also)}" if also else ""
    return f"{one.change.kind} {one.change.id}{title} {went} and {one.does.why}{where}{more}: {clip(task.title, 100)}"


def _kind(change: Change) -> str:
    settings = bool(change.files) and all(name.lower().endswith(_SETTINGS) for name in change.files)
    known = {"deploy": "change.deploy", "flag": "change.flag", "config": "change.config", "scale": "change.config"}
    return "change.config" if settings else known.get(change.kind, "change.commit")


def _shown(one: Suspicion, read: tuple[str, Lines] | None) -> tuple[str, tuple[Citation, ...]]:
    """The file that the telling line of the diff is in, and that line cited."""
    if read is None:
        return next(iter(one.change.files), ""), ()
    call_id, lines = read
    found = telling_line("\n".join(line.text for line in lines.lines), one.does.names)
    if found is None:
        return next(iter(one.change.files), ""), ()
    shown = lines.lines[found[0] - 1]
    quote = shown.text[: QUOTE[1]]
    return _file(one.change, lines, found[0]), (Citation(call_id, shown.source, shown.line, quote),)


def _file(change: Change, lines: Lines, number: int) -> str:
    """The last of the change's files that the diff names above the line."""
    above = [line.text for line in lines.lines[:number]]
    named = (name for text in reversed(above) for name in change.files if name in text)
    return next(named, next(iter(change.files), ""))


def _where(one: Suspicion, observations: Sequence[Observation]) -> tuple[Citation, ...]:
    """The records of the change and of the deploy that carried it."""
    wanted = [each for each in (one.change, one.deploy) if each]
    return tuple(
        cited(at, change, call_id)
        for call_id, found in _listed(observations)
        for at, change in enumerate(found.changes)
        if change in wanted
    )
