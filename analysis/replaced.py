"""A container that was started again from another image: that change stands behind what it says since."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from analysis.case import Case
from domain.evidence import Finding
from domain.facts import Fact

OLD: Final = "old_image"  # captures that summaries may name
NEW: Final = "new_image"
_SLACK: Final = timedelta(minutes=2)  # what is found is often seen by a poll
_RUNS: Final = ("start", "die", "kill")


def replaced(case: Case, finding: Finding) -> Finding:
    """The finding with the images before and after, where events show that its container runs another one now."""
    seen = sorted(_seen(case, finding.entity), key=lambda each: each[0])
    pairs = [(old, new, at) for (_, _, old), (_, at, new) in pairwise(seen) if _image(old) != _image(new)]
    swaps = [(old, new, at) for old, new, at in pairs if not _later(new, finding)]
    if not swaps or not finding.citations or OLD in finding.captures:
        return finding
    old, new, at = swaps[-1]
    cited = tuple(each for each in case.cite(at, "image") if each not in finding.citations)
    captures = finding.captures | {OLD: _image(old), NEW: _image(new)}
    return replace(finding, captures=captures, citations=(*finding.citations, *cited))


def _seen(case: Case, of: str) -> list[tuple[datetime, int, Fact]]:
    """The engine's events of the container that tell its image, each with its time and place."""
    return [
        (fact.at, at, fact)
        for at, fact in enumerate(case.facts)
        if fact.kind == "event" and fact.at and fact.attributes.get("reason") in _RUNS and _image(fact)
        if fact.entity == of or case.inventory.same(fact.entity, of)
    ]


def _later(new: Fact, finding: Finding) -> bool:
    """Whether the other image came after what was found began."""
    return bool(new.at and finding.onset and new.at > finding.onset + _SLACK)


def _image(fact: Fact) -> str:
    return str(fact.attributes.get("image") or "").partition("@")[0]
