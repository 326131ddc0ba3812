"""A service name that two stacks have on one network, where a client meets the wrong server."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.shared_alias import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
REFUSED = Finding("container:shop", "credentials.wrong_password", "s", (Citation("l.1", "logs/shop.log"),), weight=0.8)


def container(name: str, project: str, service: str, *networks: str) -> Fact:
    told: dict[str, Attribute] = {"project": project, "service": service, "networks": list(networks)}
    return Fact("container", f"container:{name}", told, "docker/containers.json")


def found(*facts: Fact, findings: tuple[Finding, ...] = (REFUSED,)) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["value"], f.fact.attributes["text"]) for f in joined(case)]


SHOP = container("shop", "shop", "web", "proxy=10.1.0.4")
OWN, OTHER = container("shop-db", "shop", "db", "proxy=10.1.0.5"), container("news-db", "news", "db", "proxy=10.1.0.9")


def test_two_projects_with_one_service_name_on_one_network_are_ambiguous() -> None:
    assert found(SHOP, OWN, OTHER) == [("network:proxy", "db", "news-db and shop-db")]


def test_one_project_another_network_or_no_trouble_is_none() -> None:
    assert found(SHOP, OWN, container("shop-db-2", "shop", "db", "proxy=10.1.0.9")) == []
    assert found(SHOP, OWN, container("news-db", "news", "db", "news=10.2.0.9")) == []
    assert found(SHOP, OWN, OTHER, findings=()) == []
