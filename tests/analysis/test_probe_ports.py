"""A probe or a service that asks another port than the program opened."""

from analysis.joins import probe_ports, target_ports, waiting_backends
from domain.evidence import LISTENS, Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

REFUSED = 'Readiness probe failed: Get "http://10.0.0.9:8080/up": dial tcp 10.0.0.9:8080: connect: connection refused'
PROBED = fact(
    "container", "container:web", pod="web-5d9f8b7c6d-x7k2p", probes=["Readiness: http-get http://:8080/up delay=3s"]
)


def opens(port: str, of: str = "pod:web-5d9f8b7c6d-x7k2p") -> Finding:
    return finding(of, LISTENS, f"listening on port {port}", port=port)


def asked(*findings: Finding, message: str = REFUSED, probed: Fact = PROBED) -> list[tuple[object, object]]:
    event = fact("event", "pod:web-5d9f8b7c6d-x7k2p", reason="Unhealthy", message=message)
    found = probe_ports.joined(case([probed, event], findings))
    return [(told.fact.attributes["value"], told.fact.attributes["text"]) for told in found]


def test_a_refused_probe_and_a_program_on_another_port() -> None:
    assert asked(opens("3000")) == [("8080", "3000")]
    assert asked(opens("3000", "service:web")) == [("8080", "3000")]


def test_the_same_port_another_pod_or_another_answer_is_none() -> None:
    assert asked(opens("3000"), opens("8080")) == []
    assert asked(opens("3000", "pod:api-7c9f8b7c6d-q7k2p")) == asked() == []
    assert asked(opens("3000"), message="Readiness probe failed: HTTP probe failed with statuscode: 500") == []


def test_what_bears_the_first_word_of_the_pods_name_is_another_program() -> None:
    message = REFUSED.replace("8080", "5432")
    probed = fact("container", "container:pg", pod="shop-db-0", probes=["Readiness: tcp-socket :5432 delay=3s"])
    event = fact("event", "pod:shop-db-0", reason="Unhealthy", message=message)
    assert list(probe_ports.joined(case([probed, event], [opens("8080", "service:shop")]))) == []
    assert len(list(probe_ports.joined(case([probed, event], [opens("8080", "service:shop-db")])))) == 1


def service(**told: Attribute) -> Fact:
    of: dict[str, Attribute] = {"type": "service", "namespace": "shop", "selector": ["app=web"]}
    return Fact("object", "service:web", of | told, "artifacts/facts.txt")


def pod(ready: bool, label: str = "app=web", phase: str = "Running") -> Fact:
    return fact("pod", "pod:web-5d9f8b7c6d-x7k2p", namespace="shop", labels=[label], ready=ready, phase=phase)


def sent(*findings: Finding, ready: bool = True, label: str = "app=web") -> list[object]:
    facts = [service(data=["TargetPort=8080/TCP"], endpoints=["10.0.0.9:8080"]), pod(ready, label)]
    return [told.fact.attributes["text"] for told in target_ports.joined(case(facts, findings))]


FELT = finding("service:web", "dependency.unavailable")


def test_a_service_sends_to_a_port_that_its_ready_pods_did_not_open() -> None:
    assert sent(opens("3000"), FELT) == ["3000"]


def test_nobody_refused_the_same_port_or_other_pods_are_none() -> None:
    assert sent(opens("3000")) == sent(opens("8080"), FELT) == []
    assert sent(opens("3000"), finding("service:mail", "dependency.unavailable", "dial smtp: refused")) == []
    assert sent(opens("3000"), FELT, ready=False) == sent(opens("3000"), FELT, label="app=api") == []


def waiting(*pods: Fact, endpoints: tuple[str, ...] = ()) -> list[str]:
    facts = [service(data=["TargetPort=8080/TCP"], endpoints=list(endpoints)), *pods]
    return [told.fact.entity for told in waiting_backends.joined(case(facts))]


def test_an_empty_service_whose_pods_are_there_waits_for_them() -> None:
    assert waiting(pod(ready=False)) == ["pod:web-5d9f8b7c6d-x7k2p"]


def test_no_pods_ready_ones_or_endpoints_are_another_matter() -> None:
    assert waiting() == waiting(pod(ready=True)) == waiting(pod(ready=False, label="app=api")) == []
    assert waiting(pod(ready=False), endpoints=("10.0.0.9:8080",)) == waiting(pod(ready=False, phase="Pending")) == []
