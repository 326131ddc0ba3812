"""A user's limit of processes that all containers share."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.user_limits import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
REFUSED = Finding("container:ci", "process.pid_limit", "s", (Citation("l.1", "logs/ci.log"),))


def limit(soft: Attribute, name: str = "max user processes") -> Fact:
    return Fact("limit", "container:ci", {"name": name, "soft": soft}, "artifacts/host.txt")


def of_user(count: int, user: str = "1000") -> Fact:
    return Fact("process", "process:1000", {"count": count, "user": user}, "artifacts/host.txt")


def runs(name: str, pids: int) -> Fact:
    return Fact("container", f"container:{name}", {"pids": pids}, "artifacts/host.txt")


def found(*facts: Fact, findings: tuple[Finding, ...] = (REFUSED,)) -> list[tuple[object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


def test_a_user_with_as_many_processes_as_the_limit_allows_is_told() -> None:
    assert found(limit(2048), of_user(2047)) == [("2047 of uid 1000", 2048)]
    assert found(limit(2048, "Max processes"), of_user(2048)) == [("2048 of uid 1000", 2048)]


def test_containers_that_reach_it_together_are_told_where_the_refused_one_has_few() -> None:
    assert found(limit(2048), runs("ci", 40), runs("a", 1200), runs("b", 810)) == [("2050 in 3 containers", 2048)]
    assert found(limit(2048), runs("ci", 2040), runs("a", 100)) == []  # its own
    assert found(limit(2048), runs("ci", 40), runs("a", 100)) == []


def test_no_limit_another_limit_a_command_s_count_or_no_refusal_tells_nothing() -> None:
    assert found(limit("unlimited"), of_user(2048)) == []
    assert found(limit(1024, "open files"), of_user(2048)) == []
    assert found(limit(2048), of_user(300)) == []
    assert found(limit(2048), of_user(2048, user="")) == []
    assert found(limit(2048), of_user(2048), findings=()) == []
