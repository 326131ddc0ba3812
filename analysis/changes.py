"""Which change is to blame: whether it was live before the trouble, can reach the symptom, and touches what fails."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp, log
from typing import Final

from analysis.diffs.bounds import told_bound
from analysis.diffs.effect import NOTHING, Effect
from analysis.diffs.removals import effect, names
from analysis.measured.callgraph import callees, distances
from domain.results import Change, Edge

HARMLESS: Final = re.compile(
    r"(\.(md|rst|txt|css|scss|svg|png)$|_test\.|\.test\.|(^|/)tests?/|testdata/|(^|/)docs?/|documentation/|\.github/|"
    r"\.circleci/|CODEOWNERS|\.golangci|\.editorconfig|README|/staging/)",
    re.IGNORECASE,
)
HARM: Final = "harm"  # capture of a finding about a change: which of HARMS its diff does
LIVE: Final = 2.0  # a deploy carried it before the trouble began: nothing else of a commit can act
AT_SYMPTOM: Final = 2.0  # it changed the very thing that suffers
REACHES: Final = 1.0  # what suffers needs what it changed
COMPLAINS: Final = 1.0  # what it changed says something new in its own log: as near the cause as what suffers
APART: Final = -1.5  # no way leads from the symptom to it, though the call graph is known
IDLE: Final = -3.0  # documents, tests, build files: they do not run
WORDS: Final = 1.5  # for the words of its diff, files and summary that the symptom uses
RECENT: Final = 1.0  # for one that went live right before; after HALF_MINUTES half of it
NAMED: Final = 1.0  # the symptom names code that it touches
UNFIT: Final = 0.5  # of a lost name where all is only slow: who looks for it in vain fails, and does not wait
BAR: Final = 1.5  # less than live or reaching: a diff alone convicts nobody
HALF_MINUTES: Final = 60.0
HALF_TO_ONSET: Final = 30.0  # where it is known when the trouble began
SWITCHED: Final = (
    1.25  # a flag of what suffers, switched right before the trouble, of a name that the symptom has words of
)
SWITCHED_SECONDS: Final = 300.0  # a flag acts as soon as it is read
SLACK_SECONDS: Final = 90.0  # sources poll and flush, and a roll-out is recorded when it ends
_SLOW: Final = re.compile(r"(?i)latency|duration|slow|p9\d|too long|response.?time")
_FAILS: Final = re.compile(
    r"(?i)error|fail|exception|panic|[45]xx|\b[45]\d\d\b|fatal|refused|unavailable|missing|unknown"
)
_QUEUE: Final = re.compile(
    r"(?i)queue|topic|stream|\bsqs\b|\bsns\b|kafka|rabbit|pubsub|broker|event.?bus|(?:^|[-_.])mq"
)
_WORD: Final = re.compile(r"[A-Za-z][a-z]{3,}|[A-Z]{3,}|[a-z]{4,}")


@dataclass(frozen=True)
class Suspicion:
    """A change with what speaks for and against it."""

    change: Change  # a commit stands for the deploy that carried it
    score: float
    why: tuple[str, ...]
    effect: float = 0.0  # what its diff is likely to do; at or below 0 there is no reason in it to blame the change
    does: Effect = NOTHING
    deploy: Change | None = None  # that carried it


def before(changes: Iterable[Change], moment: datetime, minutes: float) -> list[Change]:
    """The changes of the last `minutes` before the moment, the latest first, with how long before."""
    found = []
    for change in changes:
        if change.time is None:
            continue
        ago = (moment - change.time).total_seconds() / 60
        if 0 <= ago <= minutes:
            found.append(replace(change, minutes_before=round(ago, 1)))
    return sorted(found, key=lambda one: (one.minutes_before or 0.0, one.id))


def reach(changes: Iterable[Change], symptom: str, edges: Iterable[Edge]) -> list[Change]:
    """The changes with whether the symptom's entity needs what they changed, and over how many calls."""
    graph = callees(edges)
    known = graph.keys() | {callee for called in graph.values() for callee in called} | {symptom}
    hops = distances(graph, [symptom])
    return [
        replace(
            one,
            reachable=one.entity in hops if one.entity in known else None,
            distance=hops.get(one.entity, _above(graph, one.entity, symptom)),
        )
        for one in changes
    ]


def _above(graph: Mapping[str, tuple[str, ...]], caller: str, symptom: str) -> int | None:
    """Minus the calls from the caller down to the symptom; None where it does not call it."""
    hops = distances(graph, [caller]).get(symptom)
    return -hops if hops else None


def is_idle(change: Change) -> bool:
    """Whether the change touches only what does not run."""
    return bool(change.files) and all(HARMLESS.search(name) for name in change.files)


def suspicions(
    changes: Sequence[Change],
    symptom: str,
    texts: Iterable[str],
    diffs: Mapping[str, str],
    complaining: Collection[str] = (),
    onset: datetime | None = None,
) -> list[Suspicion]:
    """All that was changed, the most suspicious first. `changes` come from `before` and `reach`.

    `texts` say what fails (alerts, new log lines), `diffs` give the text of a change's diff by its id, `complaining`
    names those whose own log says something new, `onset` says when the first of it was. A deploy of a commit that is
    listed is told by the commit.
    """
    carried = {one.commit: one for one in changes if one.kind == "deploy" and one.commit}
    listed = {one.id for one in changes}
    whole = [one for one in changes if not (one.kind == "deploy" and one.commit in listed)]
    words = {one.id: _words(f"{one.summary} {' '.join(one.files)} {diffs.get(one.id, '')}") for one in whole}
    spread = Counter(word for of in words.values() for word in of)
    failing_text = " ".join(texts)
    failing = _words(failing_text)
    shared = {name: sum(log(len(whole) / spread[word]) for word in of & failing) for name, of in words.items()}
    most = max(shared.values(), default=0.0) or 1.0
    does = {one.id: _effect(one, diffs.get(one.id, ""), failing_text) for one in whole}
    does |= {one.id: switched for one in whole if (switched := _switched(one, symptom, failing, onset))}
    ago = {one.id: _minutes_to(carried.get(one.id) or one, onset) for one in whole}
    found = [
        _suspicion(one, carried.get(one.id), symptom, shared[one.id] / most, bool(carried), does[one.id], ago[one.id])
        for one in whole
    ]
    found = [_heard(one, symptom, complaining) for one in found]
    return sorted(found, key=lambda each: (-each.score, each.change.minutes_before or 0.0, each.change.id))


def guilty(ranked: Sequence[Suspicion]) -> Suspicion | None:
    """The first with a reason in its diff, or None: that something was changed before is no reason by itself."""
    return next((one for one in ranked if one.effect > 0 and one.score >= BAR and _at_work(one)), None)


def _at_work(one: Suspicion) -> bool:
    """Whether it can be at work where it hurts. What good changes do as well must be known to have gone live there."""
    known = one.deploy is not None or one.change.kind != "commit" or one.change.reachable is True
    return known or not one.does.only_if


def _switched(one: Change, symptom: str, failing: Collection[str], onset: datetime | None) -> Effect | None:
    """A flag of what suffers that was switched right before the trouble began, and names what fails."""
    if one.kind != "flag" or onset is None or one.time is None or one.entity != symptom:
        return None
    own = _words(symptom)
    telling = (word for word in _words(one.id) if not any(_akin(word, name) for name in own))
    shared = sorted(word for word in telling if any(_akin(word, other) for other in failing))
    seconds = (onset - one.time).total_seconds()
    if not shared or not -SLACK_SECONDS <= seconds <= SWITCHED_SECONDS:
        return None
    told = f"the first new errors came {max(seconds, 0.0) / 60:.0f} minutes after, and {shared[0]} is what fails"
    return Effect(SWITCHED, told, (one.id.lower(),))


def _akin(one: str, other: str) -> bool:
    """Whether both are forms of one word: reserve, reserved, reservation."""
    stem = min(len(one), len(other), 6)
    return stem >= 4 and one[:stem] == other[:stem]


def _minutes_to(where: Change, onset: datetime | None) -> tuple[float, float]:
    """The minutes from a change to the trouble, and how many of them halve what its nearness says."""
    if onset is None or where.time is None:
        return where.minutes_before or 0.0, HALF_MINUTES
    minutes = (onset - where.time).total_seconds() / 60
    return (max(minutes, 0.0), HALF_TO_ONSET) if minutes * 60 >= -SLACK_SECONDS else (HALF_MINUTES, HALF_TO_ONSET)


def worth_reading(ranked: Sequence[Suspicion], most: int) -> list[Change]:
    """The changes whose diff may tell something, the most suspicious first."""
    return [one.change for one in ranked if one.change.diff and not is_idle(one.change)][:most]


def _effect(one: Change, diff: str, failing: str) -> Effect:
    """What the change does; code or a flag that the symptom names verbatim is at work in it, also where only added."""
    does = effect(diff, failing) if diff else told_bound(one.summary) or NOTHING
    known = names(diff) | ({one.id} if one.kind == "flag" else set())
    named = sorted(name for name in known if _says(name, failing, loose=one.kind == "flag"))
    if does.loses_name and _SLOW.search(failing) and not _FAILS.search(failing):
        return replace(does, score=does.score * UNFIT)
    if does.score > 0 or not named:
        return does
    return Effect(NAMED, f"the symptom names {named[0]}", (named[0].lower(),))


def _says(name: str, text: str, loose: bool) -> bool:
    """Whether the text has the name; loose: also with other marks between its parts, as people write a flag's name."""
    parts = [re.escape(part) for part in re.split(r"[_.\-\s]+", name) if part] if loose else [re.escape(name)]
    return (
        re.search(rf"\b{r'[_. -]?'.join(parts)}\b", text, re.IGNORECASE if loose and len(parts) > 1 else 0) is not None
    )


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text.replace("_", " "))}


def _suspicion(
    one: Change,
    deploy: Change | None,
    symptom: str,
    overlap: float,
    deploys: bool,
    does: Effect,
    ago: tuple[float, float],
) -> Suspicion:
    where = deploy or one
    terms: list[tuple[float, str]] = []
    if deploy or one.kind != "commit":
        terms.append((LIVE, f"live {where.minutes_before:g} minutes before" if where.minutes_before else "live before"))
    elif deploys:
        terms.append((-LIVE / 2, "no deploy carried it"))
    terms.append(_place(where, symptom, does))
    if is_idle(one):
        terms.append((IDLE, "touches only what does not run"))
    terms.append((WORDS * overlap, "its words are those of the symptom" if overlap > 0.5 else ""))
    terms.append((RECENT * exp(-log(2) * ago[0] / ago[1]), ""))
    terms.append((does.score, does.why))
    total = round(sum(score for score, _ in terms), 3)
    return Suspicion(one, total, tuple(why for _, why in terms if why), does.score, does, deploy)


def _heard(one: Suspicion, symptom: str, complaining: Collection[str]) -> Suspicion:
    where = one.deploy or one.change
    apart = where.reachable is False and not _asks_too_much(where, one.does)
    if where.entity == symptom or where.entity not in complaining or apart:
        return one
    return replace(one, score=round(one.score + COMPLAINS, 3), why=(*one.why, f"{where.entity} says something new"))


def _asks_too_much(where: Change, does: Effect) -> bool:
    """Whether what was changed calls the symptom, and does so more often than before."""
    return does.calls and does.score > 0 and (where.distance or 0) < 0


def _place(where: Change, symptom: str, does: Effect) -> tuple[float, str]:
    if where.entity == symptom:
        return AT_SYMPTOM, f"changed {symptom} itself"
    if where.reachable:
        return REACHES, f"{symptom} needs {where.entity}"
    if _asks_too_much(where, does):
        return REACHES, f"{where.entity} calls {symptom}"
    if (where.distance or 0) < 0 and _QUEUE.search(where.entity):
        return REACHES, f"{symptom} works on what {where.entity} delivers"
    if where.reachable is False:
        return APART, f"{symptom} does not need {where.entity}"
    return 0.0, ""
