"""Hosts that forward nothing."""

from analysis.joins.forwarding import NAME, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact

FORWARD = fact("setting", "host:localhost", name="net.ipv4.ip_forward", value=0)


def told(*facts: Fact) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts))]


def test_a_host_that_was_asked_and_does_not_forward_is_told() -> None:
    assert told(FORWARD) == [NAME]
    assert told(fact("setting", "host:localhost", name="net.ipv4.ip_forward", value=1)) == []
    assert told(fact("setting", "container:web", name="net.ipv4.ip_forward", value=0)) == []


def test_a_dump_of_all_settings_asks_for_none() -> None:
    assert (
        told(FORWARD, *(fact("setting", "host:localhost", name=f"net.core.s{at}", value=1) for at in range(20))) == []
    )
