"""How far a hypothesis reaches an alert: by the things, by the kind, and what that makes of the alert."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from analysis.case import Case
from analysis.kinds import Fit
from analysis.sight import unseen
from domain.diagnosis import Hypothesis
from domain.entity import kind_of, name_of

EXPLAINED, CONSISTENT, NOT_EXPLAINED = "explained", "consistent", "not_explained"
_SHARED: Final = ("host", "disk", "network")  # what all that runs on a machine needs
_RUNS: Final = ("process", "container", "service", "pod", "database", "queue")
_SHORTEST_NAME: Final = 4  # a shorter one is in many lines by chance


class Reach(IntEnum):
    """How a hypothesis and an alert are connected, the nearest last."""

    APART = 0
    UNKNOWN = 1  # the alert names nothing, or what nobody knows
    NEAR = 2  # they belong together, but not so that one needs the other
    NEEDS = 3  # what alerted needs what is at fault
    SAME = 4


def account_of(reach: Reach, fits: Fit) -> str:
    """What a hypothesis makes of an alert that it reaches so far, and goes together with so well."""
    if reach is Reach.UNKNOWN:
        return {Fit.YES: EXPLAINED, Fit.OPEN: CONSISTENT, Fit.NO: NOT_EXPLAINED}[fits]
    if fits is Fit.NO:
        return CONSISTENT if reach is Reach.SAME else NOT_EXPLAINED
    if reach >= Reach.NEEDS or (reach is Reach.NEAR and fits is Fit.YES):
        return EXPLAINED
    return CONSISTENT if reach is Reach.NEAR else NOT_EXPLAINED


def reach_of(case: Case, hypothesis: Hypothesis, at: int) -> Reach:
    """How the alert at this place is connected with the hypothesis."""
    if unseen(case, at):
        return Reach.APART
    named = case.names_of(at)
    known = [of for of in named if case.incident.seen or case.inventory.resolve(of) or of in _touched(case, hypothesis)]
    if not known:
        return Reach.UNKNOWN
    return max(_between(case, of, to, known) for of in known for to in _touched(case, hypothesis))


def _between(case: Case, of: str, to: str, named: list[str]) -> Reach:
    inventory = case.inventory
    if inventory.same(of, to):
        return Reach.SAME
    if inventory.depends(of, to) or _mentions(case, of, to):
        return Reach.NEEDS
    if _on_the_machine(case, of, to, named):
        return Reach.NEEDS if kind_of(to) in _SHARED else Reach.NEAR
    near = inventory.depends(to, of) or to in inventory.related(of) or of in inventory.related(to)
    return Reach.NEAR if near else Reach.APART


def _touched(case: Case, hypothesis: Hypothesis) -> list[str]:
    """What the hypothesis is about, and what is seen to follow from it there."""
    own = [f.entity for f in hypothesis.findings if not f.only_advised]
    follow = (link.entity for link in hypothesis.chain if _follows(case, link.entity, hypothesis.entity))
    return list(dict.fromkeys((hypothesis.entity, *own, *follow)))


def _follows(case: Case, effect: str, cause: str) -> bool:
    connected = case.inventory.same(effect, cause) or case.inventory.depends(effect, cause)
    return connected or not case.incident.seen  # a recording is of one incident


def _mentions(case: Case, of: str, to: str) -> bool:
    """Whether what was found of the one names the other in its words."""
    name = name_of(of)
    if kind_of(of) not in _RUNS or len(name) < _SHORTEST_NAME:
        return False
    word = re.compile(rf"(?i)(?<![\w.-]){re.escape(name)}(?![\w-])")
    return any(word.search(text) for text in _said(case, to))


def _said(case: Case, of: str) -> Iterator[str]:
    for finding in case.findings:
        if finding.entity == of and not finding.only_advised:
            yield finding.statement
            yield from (citation.quote for citation in finding.citations if citation.quote)


def _on_the_machine(case: Case, of: str, to: str, named: list[str]) -> bool:
    """Whether both are on the one machine that live sources look at. Of two disks each is its own."""
    if len(case.incident.seen) != 1:
        return False
    disks = kind_of(to) == "disk" and any(kind_of(name) == "disk" for name in named)
    return not disks and (kind_of(to) in _SHARED or (kind_of(of) == "host" and kind_of(to) in _RUNS))
