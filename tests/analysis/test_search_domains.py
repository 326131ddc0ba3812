"""Outside names that a search domain's wildcard record answers for."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.search_domains import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
NAME = "api.example.com"
MISMATCH = Finding(
    "service:shop", "tls.hostname_mismatch", "s", (Citation("l.1", "logs/shop.log"),), captures={"host": NAME}
)


def answer(query: str, address: str, answered: str = "") -> Fact:
    told: dict[str, Attribute] = {"query": query, "addresses": [address]}
    return Fact("dns", f"external:{query}", told | ({"answered": answered} if answered else {}), "artifacts/dns.txt")


def found(*facts: Fact, findings: tuple[Finding, ...] = ()) -> list[tuple[str, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["search"]) for f in joined(case)]


LONGER = answer(NAME, "10.1.0.9", f"{NAME}.lan.example.org")


def test_a_name_that_is_another_without_the_search_domain_is_hijacked_by_it() -> None:
    assert found(LONGER, answer(NAME, "203.0.113.9")) == [("network:lan.example.org", ["lan.example.org"])]


def test_so_is_a_name_that_a_client_has_trouble_with() -> None:
    assert found(LONGER, findings=(MISMATCH,)) == [("network:lan.example.org", ["lan.example.org"])]


def test_a_short_name_a_name_of_the_cluster_or_the_same_answer_is_none() -> None:
    assert found(answer("db", "10.1.0.9", "db.lan.example.org"), answer("db", "10.1.0.8")) == []
    assert found(answer("db.shop", "10.1.0.9", "db.shop.svc.cluster.local"), answer("db.shop", "10.1.0.8")) == []
    assert found(LONGER, answer(NAME, "10.1.0.9")) == []
    assert found(LONGER) == []
