"""A sequence that stands below the largest id of its table, so that the next ids are taken already."""

from collections.abc import Iterator
from typing import Final

from analysis.captures.sql import LARGEST, SEQUENCE
from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Attribute, Fact

BEHIND: Final = "sequence behind"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each sequence whose table holds a larger id."""
    settings = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "setting"]
    for at, sequence in settings:
        if sequence.attributes.get("origin") != SEQUENCE:
            continue
        name, last = str(sequence.attributes.get("name")), sequence.attributes.get("value")
        for place, largest in settings:
            same = largest.attributes.get("origin") == LARGEST and case.inventory.same(largest.entity, sequence.entity)
            if same and _belong(name, largest) and _below(last, largest):
                told: dict[str, Attribute] = {
                    "name": name, "value": last, "unit": str(largest.attributes.get("value")), "origin": BEHIND,
                }  # fmt: skip
                cited = (*case.cite(at, "value"), *case.cite(place, "value"))
                yield JoinedFact(Fact("setting", sequence.entity, told, sequence.source), cited)


def _belong(name: str, largest: Fact) -> bool:
    """Whether the sequence is that of the column: TABLE_COLUMN_seq, as serial columns name it."""
    table, column = (str(largest.attributes.get(key)) for key in ("name", "unit"))
    return name == f"{table}_{column}_seq"


def _below(last: Attribute, largest: Fact) -> bool:
    most = largest.attributes.get("value")
    return isinstance(last, int | float) and isinstance(most, int | float) and last < most
