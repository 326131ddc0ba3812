"""Hosts that filter their guests."""

from analysis.joins.bridged_frames import NAME, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact

BRIDGED = fact("setting", "host:localhost", name="net.bridge.bridge-nf-call-iptables", value=1)


GUEST = fact("interface", "network:vnet3", name="vnet3", state="UP")


def policy(word: str) -> Fact:
    return fact("firewall", "network:FORWARD", chain="FORWARD", policy=word)


def told(*facts: Fact) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts))]


def test_bridged_frames_are_dropped_by_policy_and_setting_together() -> None:
    assert told(BRIDGED, policy("DROP"), GUEST) == [NAME]
    assert told(BRIDGED, policy("ACCEPT"), GUEST) == []
    assert told(policy("DROP")) == []
    assert told(BRIDGED) == []


def test_an_engine_on_a_machine_without_guests_is_as_it_should_be() -> None:
    assert told(BRIDGED, policy("DROP"), fact("interface", "network:docker0", name="docker0")) == []
