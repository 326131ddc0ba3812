"""A kernel table whose count has reached its limit."""

from analysis.joins.full_tables import joined
from domain.facts import Attribute, Fact
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


def table(name: str, value: int, origin: str = "") -> Fact:
    return fact("setting", "host:gate", name=f"net.netfilter.nf_conntrack_{name}", value=value, origin=origin)


def test_the_last_limit_of_the_kernel_counts_and_none_of_a_file() -> None:
    count, live = table("count", 70000), table("max", 262144)
    wanted = table("max", 65536, origin="/etc/sysctl.d/90-net.conf")
    assert list(joined(case([wanted, count, live]))) == list(joined(case([count, live, wanted]))) == []
    assert list(joined(case([wanted, count]))) == []
    assert list(joined(case([table("max", 65536), table("count", 65536), live]))) == []  # was raised


def test_slots_that_do_not_suffice_for_one_more_are_a_full_table() -> None:
    limit = fact("setting", "host:db", name="fs.aio-max-nr", value=65536)
    full, roomy = (fact("setting", "host:db", name="fs.aio-nr", value=value) for value in (63000, 40000))
    (told,) = joined(case([full, limit]))
    assert told.fact.attributes["value"] == "aio-max-nr"
    assert list(joined(case([roomy, limit]))) == []
