"""A router that ignores advertisements."""

from analysis.joins.ignored_advertisements import NAME, joined
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact


def told(*facts: Fact, found: tuple[Finding, ...] = ()) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, found))]


def test_router_advertisements_are_ignored_by_a_router_that_lost_its_route() -> None:
    accept = fact("setting", "host:localhost", name="net.ipv6.conf.eth0.accept_ra", value=1)
    routes = fact("setting", "host:localhost", name="net.ipv6.conf.all.forwarding", value=1)
    lost = fact("reading", "host:localhost", command="ip -6 route show default")
    assert told(accept, routes, lost) == [NAME]
    assert told(accept, routes) == []
    assert told(accept, lost) == []
    assert told(accept, fact("setting", "host:w2", name="net.ipv6.conf.all.forwarding", value=1), lost) == []
    assert told(fact("setting", "host:localhost", name="net.ipv6.conf.eth0.accept_ra", value=2), routes, lost) == []
    assert told(fact("setting", "host:localhost", name="net.ipv6.conf.eth0.accept_ra", value=0), routes, lost) == []
