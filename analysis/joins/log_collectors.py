"""Containers that cannot start because the collector their logging driver calls is itself down, and why that is."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.last_words import last_words
from analysis.stopped import DOWN
from analysis.text import clip
from domain.entity import name_of
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.fault import is_fault

NAME: Final = "log_collector"
_REFUSED: Final = re.compile(r"initialize logging driver:.*?\bdial \w+ (?P<host>[\w.-]+|\[[\da-f:]+\]):(?P<port>\d+): ")
_SOLID: Final = 0.5
_CHARS: Final = 130
_HERE: Final = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container whose start the engine refused, where the collector is known and does not run."""
    for at, fact in enumerate(case.facts):
        called = _REFUSED.search(str(fact.attributes.get("error") or "")) if fact.kind == "container" else None
        down = _collector(case, fact, called["host"], called["port"]) if called else None
        if down is not None:
            words, cited = _why(case, down)
            more = Fact("note", fact.entity, {"name": NAME, "value": name_of(down.entity), "text": words}, fact.source)
            yield JoinedFact(more, (*case.cite(at, "error"), *cited), down.onset)


def _collector(case: Case, refused: Fact, host: str, port: str) -> Finding | None:
    """That the container which publishes the port, or has the name or address, is down, on the same machine."""
    for fact in case.facts:
        if fact.kind != "container" or fact.entity == refused.entity:
            continue
        published = host in _HERE and any(_publishes(each, port) for each in texts(fact.attributes, "ports"))
        named = host not in _HERE and case.inventory.resolve(host, "container") == fact.entity
        if (published or named) and fact.source == refused.source:
            return next(
                (f for f in case.findings if f.kind in DOWN and case.inventory.same(f.entity, fact.entity)), None
            )
    return None


def _publishes(published: str, port: str) -> bool:
    """Whether `127.0.0.1:24224->24224/tcp` or its like opens the port on the machine."""
    return re.search(rf"(?:^|:){port}(?:->|:|/|$)", published) is not None


def _why(case: Case, down: Finding) -> tuple[str, tuple[Citation, ...]]:
    """The strongest word of what is wrong with the collector, else its own last words, or how it stands."""
    known = [f for f in case.findings if is_fault(f.kind) and f.weight >= _SOLID]
    own = [each for each in (*known, *last_words(case)) if case.inventory.same(each.entity, down.entity)]
    best = max(own, key=lambda each: each.weight, default=down)
    return clip(best.statement, _CHARS), (*best.citations[:1], *down.citations[:1])
