"""Hosts that filter their guests."""

from analysis.joins.bridged_frames import NAME, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact

BRIDGED = fact("setting", "host:localhost", name="net.bridge.bridge-nf-call-iptables", value=1)


def policy(word: str) -> Fact:
    return fact("firewall", "network:FORWARD", chain="FORWARD", policy=word)


def told(*facts: Fact) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts))]


def test_bridged_frames_are_dropped_by_policy_and_setting_together() -> None:
    assert told(BRIDGED, policy("DROP")) == [NAME]
    assert told(BRIDGED, policy("ACCEPT")) == []
    assert told(policy("DROP")) == []
    assert told(BRIDGED) == []
