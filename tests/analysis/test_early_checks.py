"""A container that its check gave up while it was still starting."""

from datetime import UTC, datetime, timedelta

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.early_checks import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
TASK = "container:shop_app.1.abcdefghijkl"
CITED = (Citation("l.1", "logs/shop_app.log"),)
WORK = Finding("service:shop_app", "health.check_too_early", "s", CITED, captures={"work": "migrating"})


def task(**more: Attribute) -> Fact:
    told: dict[str, Attribute] = {"state": "exited", "health": "unhealthy", "started_at": "2026-03-04T12:00:00Z"}
    told |= {"health_interval": 10.0, "health_retries": 3, "health_start_period": 0.0}
    return Fact("container", TASK, told | more, "docker/containers.json")


def judged(message: str, seconds: float) -> Fact:
    told: dict[str, Attribute] = {"reason": "health_status", "message": message}
    return Fact("event", TASK, told, "docker/events.jsonl", NOW + timedelta(seconds=seconds))


def found(*facts: Fact, findings: tuple[Finding, ...] = (WORK,)) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["value"], f.fact.attributes.get("text")) for f in joined(case)]


def test_given_up_as_soon_as_the_check_allows_while_its_log_is_still_at_work() -> None:
    assert found(task(), judged("unhealthy", 31)) == [("service:shop_app", 30, "migrating")]
    assert found(task(health_start_period=60.0), judged("unhealthy", 92)) == [("service:shop_app", 90, "migrating")]


def test_without_a_log_it_is_told_of_the_container_alone() -> None:
    assert found(task(), judged("unhealthy", 31), findings=()) == [(TASK, 30, None)]


def test_one_that_was_well_lived_longer_or_has_no_check_is_none() -> None:
    assert found(task(), judged("healthy", 12), judged("unhealthy", 31)) == []
    assert found(task(), judged("unhealthy", 400)) == []
    assert found(task(health_interval=None), judged("unhealthy", 31)) == []
    assert found(task(health="healthy"), judged("unhealthy", 31)) == []
    assert found(task()) == []
    assert found(task(started_at="2026-03-04T12:00:00"), judged("unhealthy", 31)) == []  # no zone is told


def restarted(seconds: float) -> Fact:
    return Fact("event", TASK, {"reason": "restart"}, "docker/events.jsonl", NOW + timedelta(seconds=seconds))


def test_restarts_by_a_watcher_in_the_rhythm_of_the_check_tell_it_too() -> None:
    starting = task(health="starting", health_start_period=60.0)
    assert found(starting, restarted(0), restarted(104), restarted(208)) == [("service:shop_app", 90, "migrating")]
    assert found(starting, restarted(0), restarted(20), restarted(40)) == []
    assert found(starting, restarted(0), restarted(3600)) == []
    assert found(starting, restarted(104)) == []
    assert found(starting, judged("healthy", 30), restarted(0), restarted(104)) == []
