"""Whose address it is that a database server blocks."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.blocked_hosts import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def blocked(entity: str, client: str, kind: str = "database.host_blocked") -> Finding:
    return Finding(entity, kind, "s", (Citation("l.1", "logs/shop.log"),), weight=0.9, captures={"client": client})


def container(name: str, address: str) -> Fact:
    told = {"state": "running", "addresses": [address], "networks": [f"shop={address}"]}
    return Fact("container", f"container:{name}", told, "docker/containers.json")  # type: ignore[arg-type]


EDGE, SHOP = container("balancer", "10.4.0.5"), container("shop", "10.4.0.6")


def found(*findings: Finding) -> list[tuple[object, object]]:
    facts = (EDGE, SHOP)
    case = Case(
        Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ()), (), findings, facts, (), Inventory.build(facts), ()
    )
    return [(f.fact.attributes["client"], f.fact.attributes["application"]) for f in joined(case)]


def test_the_one_through_whom_the_clients_come_is_named_once() -> None:
    told = blocked("container:shop", "10.4.0.5")
    assert found(told, told) == [("10.4.0.5", "balancer")]


def test_the_client_itself_a_stranger_or_another_fault_is_none() -> None:
    assert found(blocked("container:shop", "10.4.0.6")) == []
    assert found(blocked("container:shop", "192.0.2.8")) == []
    assert found(blocked("container:shop", "10.4.0.5", "credentials.host_not_allowed")) == []
