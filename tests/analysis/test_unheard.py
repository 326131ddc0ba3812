"""A program that says it listens on loopback, and clients that are refused at its other address."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.unheard import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CITED = (Citation("l.1", "logs/a.log"),)
API = Fact("container", "container:api", {"state": "running", "networks": ["web=10.9.0.6"], "addresses": ["10.9.0.6"]})


def says(port: str = "8000", of: str = "container:api") -> Finding:
    signature = "network-loopback-only/listens_local"
    return Finding(of, "network.loopback_only", "s", CITED, signature=signature, captures={"port": port})


def refused(of: str = "service:10.9.0.6:8000", why: str = "connections to it were refused") -> Finding:
    return Finding(of, "dependency.unavailable", why, CITED)


def socket(local: str) -> Fact:
    return Fact("socket", "container:api", {"state": "LISTEN", "local": local})


def told(*findings: Finding, facts: tuple[Fact, ...] = ()) -> list[object]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, (API, *facts), (), Inventory.build((API, *facts)), ())
    return [(each.fact.entity, each.fact.attributes["remote"]) for each in joined(case)]


def test_clients_are_refused_at_the_address_of_who_listens_for_itself() -> None:
    assert told(says(), refused()) == [("container:api", "10.9.0.6:8000")]
    assert told(says(), refused("service:api:8000")) == [("container:api", "api:8000")]


def test_another_port_another_owner_a_time_out_or_loopback_tell_nothing() -> None:
    assert told(says("9000"), refused()) == []
    assert told(says(of="container:other"), refused()) == []
    assert told(says(), refused(why="connections to it timed out")) == []
    assert told(says(), refused("service:127.0.0.1:8000")) == []
    assert told(refused()) == []


def test_a_socket_table_of_the_container_tells_it_as_well() -> None:
    assert told(refused(), facts=(socket("127.0.0.1:8000"),)) == [("container:api", "10.9.0.6:8000")]
    assert told(refused(), facts=(socket("0.0.0.0:8000"),)) == []
    assert told(says(), refused(), facts=(socket("0.0.0.0:8000"),)) == []
