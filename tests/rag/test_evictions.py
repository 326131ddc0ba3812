"""An eviction that a controller planned is no shortage of the node."""

from pathlib import Path

import pytest

from analysis.rules import rules
from analysis.state import StateIndex
from domain.facts import Fact
from rag.runbooks import load

FOLDER = Path(__file__).parents[2] / "runbooks"


@pytest.mark.parametrize(
    ("message", "fires"),
    [
        ("The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 2Gi.", True),
        ("Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.", True),
        ("Evicted pod: Underutilized", False),
        ("Evicted pod", False),
    ],
)
def test_an_eviction_is_a_fault_only_when_the_kubelet_had_to(message: str, fires: bool) -> None:
    known = [rule for rule in rules(load((FOLDER,)), "state") if rule.id == "kubernetes-evicted/evicted_event"]
    tests = StateIndex((rule, rule.signature.state) for rule in known)
    event = Fact("event", "pod:basket-1", {"reason": "Evicted", "message": message}, "logs/events.log")
    assert bool(list(tests.satisfied_by(event))) is fires
