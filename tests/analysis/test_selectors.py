"""A service whose selector asks for labels that its pods do not carry."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.selectors import joined
from domain.alert import Incident, Window
from domain.facts import Attribute, Fact, Scalar

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def service(selector: list[Scalar], endpoints: list[Scalar]) -> Fact:
    told: dict[str, Attribute] = {"type": "service", "namespace": "shop", "selector": selector, "endpoints": endpoints}
    return Fact("object", "service:basket", told, "artifacts/service.txt")


def listed(name: str, *selector: str) -> Fact:
    """A service as `kubectl get service -o wide` shows it: without its endpoints."""
    told: dict[str, Attribute] = {"type": "service", "namespace": "shop", "selector": list(selector)}
    return Fact("object", f"service:{name}", told, "artifacts/services.txt")


def endpoints(name: str, *addresses: str) -> Fact:
    told: dict[str, Attribute] = {"type": "endpoints", "namespace": "shop"} | (
        {"endpoints": list(addresses)} if addresses else {}
    )
    return Fact("object", f"service:{name}", told, "artifacts/endpoints.txt")


def other_pod(name: str, *labels: str) -> Fact:
    told: dict[str, Attribute] = {"namespace": "shop", "labels": list(labels), "ready": True, "phase": "Running"}
    return Fact("pod", f"pod:{name}", told, "artifacts/pods.txt")


def pod(labels: list[Scalar], namespace: str = "shop", ready: bool = True) -> Fact:
    told: dict[str, Attribute] = {"namespace": namespace, "labels": labels, "ready": ready, "phase": "Running"}
    return Fact("pod", "pod:basket-6d4f-x2k9q", told, "artifacts/pods.txt")


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


def test_a_label_of_the_whole_release_does_not_make_a_pod_the_services() -> None:
    redis = listed("redis", "app.kubernetes.io/instance=rel", "app.kubernetes.io/name=redis")
    web = other_pod("web-6d4f9c7b5d-x2k9q", "app.kubernetes.io/instance=rel", "app.kubernetes.io/name=web")
    assert misses(redis, endpoints("redis"), web) == []
    exporter = other_pod("redis-exporter-0", "app.kubernetes.io/instance=rel", "app.kubernetes.io/name=redis-exporter")
    assert misses(redis, endpoints("redis"), exporter) == []


def test_endpoints_that_nobody_asked_for_or_that_are_told_elsewhere_are_not_none() -> None:
    basket, renamed = listed("basket", "app=basket"), pod(["app=basket-v2"])
    assert misses(basket, renamed) == []
    assert misses(basket, endpoints("basket", "10.1.0.7:8080"), renamed) == []
    assert misses(basket, endpoints("other"), renamed) == []
    assert misses(basket, endpoints("basket"), renamed) == ["it asks for app=basket, the pods carry app=basket-v2"]


def test_a_sister_of_another_number_or_that_another_service_finds_is_not_meant() -> None:
    two = listed("kafka-2", "app=kafka-2")
    assert misses(two, endpoints("kafka-2"), other_pod("kafka-1-0", "app=kafka-1")) == []
    green, blue = listed("web-v2", "app=web-v2"), listed("web-v1", "app=web-v1")
    assert misses(green, blue, endpoints("web-v2"), other_pod("web-v1-6d4f9c7b5d-x2k9q", "app=web-v1")) == []
    assert misses(listed("pay", "app=payment"), endpoints("pay"), other_pod("p-0", "app=payments")) == [
        "it asks for app=payment, the pods carry app=payments"
    ]
