"""A check that passes against the temporary server of the first start."""

from datetime import UTC, datetime, timedelta

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.passes_early import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def at(seconds: int) -> datetime:
    return NOW + timedelta(seconds=seconds)


def said(which: str, seconds: int, of: str = "container:db") -> Finding:
    cited = (Citation("l.1", "logs/db.log"),)
    signature = f"health-check-passes-early/{which}"
    return Finding(of, "health.check_passes_early", "s", cited, onset=at(seconds), signature=signature)


def told(healthy: int, command: str = "mysqladmin ping -h localhost", end: int | None = 30) -> list[object]:
    event = Fact("event", "container:db", {"reason": "health_status", "message": "healthy"}, at=at(healthy))
    facts = (Fact("container", "container:db", {"state": "running", "health_command": command}), event)
    findings = (said("temporary", 0), *([said("init_done", end)] if end is not None else []))
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(each.fact.attributes["text"], each.fact.attributes["value"]) for each in joined(case)]


def test_healthy_while_the_temporary_server_runs() -> None:
    assert told(5) == [("mysqladmin ping -h localhost", 5)]
    assert told(12, "pg_isready -U app") == [("pg_isready -U app", 12)]


def test_healthy_later_by_the_network_or_without_an_end_tells_nothing() -> None:
    assert told(40) == []
    assert told(-5) == []
    assert told(5, "mysqladmin ping -h 127.0.0.1 --protocol=tcp") == []
    assert told(5, end=None) == []
