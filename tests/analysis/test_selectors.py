"""A service whose selector asks for labels that its pods do not carry."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.selectors import joined
from domain.alert import Incident, Window
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def service(selector: list[str], endpoints: list[str]) -> Fact:
    told = {"type": "service", "namespace": "shop", "selector": selector, "endpoints": endpoints}
    return Fact("object", "service:basket", dict(told), "artifacts/service.txt")


def pod(labels: list[str], namespace: str = "shop", ready: bool = True) -> Fact:
    told = {"namespace": namespace, "labels": labels, "ready": ready, "phase": "Running"}
    return Fact("pod", "pod:basket-6d4f-x2k9q", dict(told), "artifacts/pods.txt")


def misses(*facts: Fact) -> list[object]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [found.fact.attributes["misses"] for found in joined(case)]


EMPTY = service(["app=basket,tier=web"], [])


def test_a_label_that_was_renamed_is_told_with_what_the_pods_carry() -> None:
    assert misses(EMPTY, pod(["app=basket-v2", "pod-template-hash=6d4f", "tier=web"])) == [
        "it asks for app=basket, the pods carry app=basket-v2"
    ]


def test_another_key_is_told_too() -> None:
    assert misses(service(["app=basket"], []), pod(["k8s-app=basket", "pod-template-hash=6d4f"])) == [
        "it asks for app=basket, the pods carry k8s-app=basket"
    ]


@pytest.mark.parametrize(
    "facts",
    [
        (EMPTY, pod(["app=basket", "tier=web"], ready=False)),
        (service(["app=basket"], ["10.1.0.7:8080"]), pod(["app=other"])),
        (EMPTY, pod(["app=basket-v2", "tier=web"], namespace="test")),
        (service([], []), pod(["app=basket"])),
        (EMPTY, Fact("pod", "pod:mailer-1", {"namespace": "shop", "labels": ["app=mailer"], "ready": True}, "a.txt")),
    ],
    ids=["its pods are not ready", "it has endpoints", "another namespace", "no selector", "a pod of something else"],
)
def test_a_selector_does_not_miss_where(facts: tuple[Fact, ...]) -> None:
    assert misses(*facts) == []
