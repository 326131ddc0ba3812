"""A program that waits for file events in a folder of a network share: the kernel tells only of changes made here."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.shares import is_of, lies_in, share_under
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "watched_share"
WAITING: Final = "watched_share_files_wait"
_FAULT: Final = "disk.no_file_events"
_POLLS: Final = re.compile(r"(?i)^\w*POLL\w*=(?!0?$|false$|no$|off$).+")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each watched folder that lies on a share, unless the program is told to poll."""
    told: set[str] = set()
    for watch in case.findings:
        path = watch.captures.get("path", "") if watch.kind == _FAULT else ""
        if not path or watch.entity in told or _polls(case, watch):
            continue
        share = share_under(case, watch.entity, path)
        if share is not None:
            told.add(watch.entity)
            yield _joined(case, watch, path, share)


def _joined(case: Case, watch: Finding, path: str, share: int) -> JoinedFact:
    mounted = case.facts[share].attributes
    waiting = [at for at, fact in enumerate(case.facts) if _waits(case, fact, watch, path)]
    text = f"{path} is a share ({mounted['type']}, {mounted.get('device', 'remote')}) and is watched by file events"
    name = WAITING if waiting else NAME
    cited = (*watch.citations[:1], *case.cite(share, "type", "device"), *(case.cite(waiting[0]) if waiting else ()))
    return JoinedFact(Fact("note", watch.entity, {"name": name, "text": text, "value": path}), cited, None)


def _waits(case: Case, fact: Fact, watch: Finding, path: str) -> bool:
    """Whether a file is seen to lie there."""
    seen = str(fact.attributes.get("path") or "")
    plain = fact.kind == "file" and fact.attributes.get("kind") == "file" and fact.attributes.get("exists") is True
    return plain and lies_in(seen, path) and seen != path and is_of(case, fact, watch.entity)


def _polls(case: Case, watch: Finding) -> bool:
    own = (fact for fact in case.facts if is_of(case, fact, watch.entity))
    return any(_POLLS.match(each) for fact in own for each in texts(fact.attributes, "env"))
