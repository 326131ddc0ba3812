"""A volume that stays attached to a lost node."""

from analysis.joins.lost_nodes import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact

MULTI = 'Multi-Attach error for volume "pvc-7" Volume is already used by pod(s) store-a'
ELSEWHERE = 'Multi-Attach error for volume "pvc-7" Volume is already exclusively attached to one node'


def event(message: str) -> Fact:
    return fact("event", "pod:store-b", reason="FailedAttachVolume", message=message)


def held(*facts: Fact) -> list[tuple[str, object, object]]:
    return [(t.fact.entity, t.fact.attributes["value"], t.fact.attributes["text"]) for t in joined(case(facts))]


LOST, WELL = fact("node", "host:n1", ready=False), fact("node", "host:n1", ready=True)
OLD = fact("pod", "pod:store-a", node="n1", deleting=True)
ATTACHED = fact("object", "service:csi-1", type="volumeattachment", data=["pv=pvc-7", "node=n1", "attached=true"])


def test_the_node_of_the_pod_that_uses_it_is_lost() -> None:
    assert held(LOST, OLD, event(MULTI)) == [("host:n1", "pvc-7", "store-b")]
    assert held(LOST, ATTACHED, event(ELSEWHERE)) == [("host:n1", "pvc-7", "store-b")]


def test_a_node_that_is_well_or_another_one_holds_nothing_back() -> None:
    assert held(WELL, OLD, event(MULTI)) == []
    assert held(LOST, fact("pod", "pod:store-a", node="n2"), event(MULTI)) == []
    assert held(LOST, OLD, event("volume is attached")) == []
