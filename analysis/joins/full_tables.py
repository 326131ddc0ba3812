"""A kernel table that holds as many entries as it may: its count and its limit are told by two settings."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "full table"
_TABLES: Final = (("nf_conntrack_count", "nf_conntrack_max"),)
_FULL: Final = 0.98  # of the limit; entries come and go while it is read


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each machine whose table is full."""
    for used, most in _TABLES:
        for at, fact in _told(case, used):
            for limit, bound in _told(case, most):
                count, allowed = fact.attributes["value"], bound.attributes["value"]
                if bound.entity == fact.entity and _is_full(count, allowed):
                    text = f"{count} of {allowed} entries"
                    more = Fact("note", fact.entity, {"name": NAME, "text": text, "value": most})
                    yield JoinedFact(more, (*case.cite(at, "value"), *case.cite(limit, "value")))


def _told(case: Case, ending: str) -> Iterator[tuple[int, Fact]]:
    for at, fact in enumerate(case.facts):
        named = str(fact.attributes.get("name") or "").endswith(ending)
        if named and fact.kind in ("setting", "reading") and fact.attributes.get("value") is not None:
            yield at, fact


def _is_full(count: object, allowed: object) -> bool:
    try:
        return 0 < float(str(allowed)) * _FULL <= float(str(count))
    except ValueError:
        return False
