"""A kernel table that holds as many entries as it may: its count and its limit are told by two settings.

The last limit that the kernel told counts: a file says what is wanted, and somebody may have raised it since.
"""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "full table"
# Count, limit, and the share of it from which it is full: entries come and go while it is read, and who asks for many
# at once (a database some thousand AIO slots) is refused before the last is taken.
_TABLES: Final = (
    ("nf_conntrack_count", "nf_conntrack_max", 0.98),
    ("aio-nr", "aio-max-nr", 0.94),
    ("pty.nr", "pty.max", 0.98),
    ("pty/nr", "pty/max", 0.98),
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each machine whose table is full."""
    for used, most, full in _TABLES:
        limits = {fact.entity: at for at, fact in _told(case, most)}
        for at, fact in _told(case, used):
            limit = limits.get(fact.entity)
            if limit is None or not _is_full(count := fact.attributes["value"], allowed := _value(case, limit), full):
                continue
            more = Fact("note", fact.entity, {"name": NAME, "text": f"{count} of {allowed} entries", "value": most})
            yield JoinedFact(more, (*case.cite(at, "value"), *case.cite(limit, "value")))


def _told(case: Case, ending: str) -> Iterator[tuple[int, Fact]]:
    for at, fact in enumerate(case.facts):
        named = str(fact.attributes.get("name") or "").endswith(ending)
        live = fact.kind in ("setting", "reading") and not fact.attributes.get("origin")
        if named and live and fact.attributes.get("value") is not None:
            yield at, fact


def _value(case: Case, at: int) -> object:
    return case.facts[at].attributes["value"]


def _is_full(count: object, allowed: object, full: float) -> bool:
    try:
        return 0 < float(str(allowed)) * full <= float(str(count))
    except ValueError:
        return False
