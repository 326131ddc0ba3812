"""A mounted file that was replaced."""

from analysis.joins.replaced_files import NAME, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact


def told(*facts: Fact) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts))]


def test_a_file_with_two_inodes_was_replaced() -> None:
    def inode(of: str, number: str, name: str = "prometheus.yml") -> Fact:
        return fact("reading", of, command=f"stat -c %i /etc/x/{name}", text=number)

    assert told(inode("host:localhost", "11"), inode("container:prom", "12")) == [NAME]
    assert told(inode("host:localhost", "11"), inode("container:prom", "11")) == []
    assert told(inode("host:localhost", "11", "other.yml"), inode("container:prom", "12")) == []
    assert told(inode("host:localhost", "11"), inode("host:localhost", "12")) == []


def test_an_empty_answer_and_files_that_each_container_has_tell_nothing() -> None:
    for text, name in ((" ", "x.yml"), ("12", "resolv.conf")):
        inside = fact("reading", "container:prom", command=f"md5sum /etc/{name}", text=text)
        assert told(fact("reading", "host:localhost", command=f"md5sum /etc/{name}", text="11"), inside) == []
