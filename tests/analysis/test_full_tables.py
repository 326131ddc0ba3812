"""A kernel table whose count has reached its limit."""

from analysis.joins.full_tables import joined
from domain.facts import Attribute
from tests.analysis.joining import case, fact


def found(count: Attribute, most: Attribute, *, other: str = "host:gate") -> list[tuple[str, object]]:
    count_of = fact("setting", "host:gate", name="net.netfilter.nf_conntrack_count", value=count)
    most_of = fact("setting", other, name="net.netfilter.nf_conntrack_max", value=most)
    return [(told.fact.entity, told.fact.attributes["text"]) for told in joined(case([count_of, most_of]))]


def test_a_table_at_its_limit_is_full() -> None:
    assert found(32768, 32768) == [("host:gate", "32768 of 32768 entries")]


def test_room_another_machine_or_no_number_is_none() -> None:
    assert found(20000, 32768) == []
    assert found(32768, 32768, other="host:away") == []
    assert found("many", 32768) == found(0, 0) == []
