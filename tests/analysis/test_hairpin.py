"""The own public address from inside."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.hairpin import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
DIG = "$ dig +short docs.example.org\n198.51.100.7\n"
OWN = "$ curl -s https://ifconfig.example\n198.51.100.7\n"
SILENT = "$ curl -sm5 -o /dev/null -w '%{http_code}\\n' https://docs.example.org/\n000\n"
ELSEWHERE = "$ ssh vps curl -s -o /dev/null -w '%{http_code}\\n' https://docs.example.org/\n200\n"


def told(text: str, *more: Fact) -> list[object]:
    facts = (*facts_of("artifacts/facts.txt", text, Clock(NOW)), *more)
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [(each.fact.attributes["query"], each.fact.attributes["addresses"]) for each in joined(case)]


def test_silent_from_inside_answered_elsewhere_and_the_own_address() -> None:
    assert told(DIG + OWN + SILENT + ELSEWHERE) == [("docs.example.org", ["198.51.100.7"])]


def test_a_service_that_answers_nobody_or_everybody_or_another_address_tells_nothing() -> None:
    assert told(DIG + OWN + SILENT) == []
    assert told(DIG + OWN + ELSEWHERE) == []
    assert told(DIG + SILENT + ELSEWHERE) == []
    assert told(DIG + OWN.replace("100.7", "100.9") + SILENT + ELSEWHERE) == []


def test_an_outage_and_its_recovery_on_the_same_way_tell_nothing_of_the_router() -> None:
    curl = "$ curl -sS -o /dev/null -w '%{http_code}\\n' https://docs.example.org/\n"
    back = curl + "200\n"
    refused = "curl: (7) Failed to connect to docs.example.org port 443 after 2 ms: Connection refused\n"
    assert told(DIG + OWN + curl + refused + back) == []
    assert told(DIG + OWN + curl + refused + ELSEWHERE) == []
    assert told(DIG + OWN + SILENT + back) == []
    inside = SILENT.replace("$ curl", "$ docker exec app curl")
    assert told(DIG + OWN + inside + back) == []
    local = back.replace("-sS", "-sS --resolve docs.example.org:443:192.168.1.5")
    assert told(DIG + OWN + SILENT + local) == [("docs.example.org", ["198.51.100.7"])]


def test_an_address_that_an_interface_of_the_machine_has_needs_no_router() -> None:
    here = Fact("interface", "host:localhost", {"name": "eth0", "addresses": ["198.51.100.7/24"]})
    assert told(DIG + OWN + SILENT + ELSEWHERE, here) == []
