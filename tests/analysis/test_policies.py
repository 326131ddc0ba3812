"""Network policies that close the way of a client that waits in vain."""

from datetime import UTC, datetime

import pytest

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.policies import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
POLICIES = """$ kubectl describe networkpolicy -n {namespace}
Name:         {name}
Namespace:    {namespace}
Spec:
  PodSelector:     {selects}
{sides}
  Policy Types: {types}
"""
NOTHING = (
    "  Not affecting ingress traffic\n  Allowing egress traffic:\n"
    "    <none> (Selected pods are isolated for egress connectivity)"
)
ONE_PORT = (
    "  Allowing egress traffic:\n    To Port: {}/TCP\n    To:\n"
    "      NamespaceSelector: kubernetes.io/metadata.name={}\n      PodSelector: app=db"
)
FROM = (
    "  Allowing ingress traffic:\n    To Port: <any> (traffic allowed to all ports)\n    From:\n"
    "      PodSelector: {}\n  Not affecting egress traffic"
)
WAITS = 'could not connect to "db.data.svc.cluster.local" (10.43.6.2), port 5432 failed: timeout expired'


def policy(sides: str, selects: str = "<none> (all)", types: str = "Egress", namespace: str = "shop") -> Fact:
    text = POLICIES.format(name="strict", namespace=namespace, selects=selects, sides=sides, types=types)
    return facts_of("artifacts/policy.txt", text, Clock(NOW))[0]


def pod(name: str, namespace: str, label: str) -> Fact:
    return Fact("pod", f"pod:{name}", {"namespace": namespace, "labels": [label]}, "artifacts/pods.txt")


def blocks(*facts: Fact, line: str = WAITS) -> list[object]:
    cited = (Citation("log.1", "logs/shop.log", 3, line),)
    finding = Finding("pod:basket-1", "network.packets_dropped", "connecting timed out", cited)
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (finding,), facts, (), Inventory.build(facts), ())
    return [found.fact.attributes["blocks"] for found in joined(case)]


CLIENT = pod("basket-1", "shop", "app=basket")
SERVER = pod("db-0", "data", "app=db")


@pytest.mark.parametrize(
    "closed",
    [policy(NOTHING), policy(ONE_PORT.format(443, "data")), policy(ONE_PORT.format(5432, "other"))],
    ids=["isolated", "another port", "another namespace"],
)
def test_a_client_whose_way_out_no_rule_allows(closed: Fact) -> None:
    assert blocks(CLIENT, closed) == ["egress of basket-1 to db:5432 (no rule allows it)"]


def test_a_pod_of_a_stateful_set_is_named_before_its_service() -> None:
    line = "dial db-0.db.data.svc.cluster.local:5432: i/o timeout"
    assert blocks(CLIENT, policy(NOTHING), line=line) == ["egress of basket-1 to db:5432 (no rule allows it)"]


def test_a_known_namespace_needs_no_suffix() -> None:
    line = "dial tcp: connecting to db.data:5432: i/o timeout"
    assert blocks(CLIENT, SERVER, policy(NOTHING), line=line) == ["egress of basket-1 to db:5432 (no rule allows it)"]
    assert blocks(CLIENT, policy(NOTHING), line=line) == []


def test_a_name_that_cannot_be_looked_up_where_dns_is_not_let_out() -> None:
    said = "getaddrinfo EAI_AGAIN db.data.svc.cluster.local"
    assert blocks(CLIENT, policy(ONE_PORT.format(5432, "data")), line=said) == [
        "egress of basket-1 to DNS:53 (no rule allows it)"
    ]


def test_a_server_that_lets_in_others_only() -> None:
    closed = policy(FROM.format("role=admin"), "app=db", "Ingress", "data")
    assert blocks(CLIENT, SERVER, closed) == ["ingress of basket-1 to db:5432 (no rule allows it)"]


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ((CLIENT, policy(ONE_PORT.format(5432, "data"))), WAITS),
        ((CLIENT, policy(NOTHING), policy(ONE_PORT.format(5432, "data"))), WAITS),
        ((CLIENT, policy(NOTHING, "app=mailer")), WAITS),
        ((CLIENT, policy(NOTHING, namespace="test")), WAITS),
        ((CLIENT, policy(NOTHING)), "could not connect to db.data.svc:5432: connection refused"),
        ((CLIENT, policy(NOTHING)), "dial tcp 10.0.0.5:5432: i/o timeout"),
        ((CLIENT, policy(NOTHING)), "dial tcp api.example.com:443: i/o timeout"),
        ((CLIENT, policy(NOTHING)), "connecting to example.com:443 timed out"),
        ((CLIENT, SERVER, policy(FROM.format("app=basket"), "app=db", "Ingress", "shop")), WAITS),
        ((CLIENT, SERVER, policy("  Allowing ingress traffic:\n    From: <any>", "app=db", "Ingress", "data")), WAITS),
    ],
    ids=[
        "allowed",
        "allowed by another",
        "other pods",
        "other namespace",
        "refused",
        "address",
        "domain",
        "short domain",
        "its own namespace",
        "anybody",
    ],
)
def test_no_policy_is_to_blame_where(facts: tuple[Fact, ...], line: str) -> None:
    assert blocks(*facts, line=line) == []


def test_a_policy_as_yaml_says_the_same() -> None:
    text = (
        "$ kubectl get networkpolicy strict -n shop -o yaml\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
        "metadata: {name: strict, namespace: shop}\nspec:\n  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n"
        "  - ports: [{port: 53, protocol: UDP}]\n  - to: [{podSelector: {matchLabels: {app: cache}}}]\n"
    )
    (declared,) = facts_of("artifacts/policy.txt", text, Clock(NOW))
    assert declared.attributes["egress"] == ["53/UDP > *", "* > pods app=cache"]
    assert blocks(CLIENT, declared) == ["egress of basket-1 to db:5432 (no rule allows it)"]
