"""A limit of open files that an upgrade of the engine lowered."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.lowered import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
OUT = Finding("container:hub", "process.descriptors_exhausted", "s", (Citation("l.1", "logs/hub.log"),), weight=0.9)


def upgrade(name: str = "containerd.io", old: str = "1.7.29-1", new: str = "2.1.5-1") -> Fact:
    return Fact("package", "host:a", {"name": name, "previous": old, "version": new, "action": "upgrade"})


def limit(soft: int = 1024, of: str = "container:hub") -> Fact:
    return Fact("limit", of, {"name": "open files", "soft": soft, "hard": 524288})


def told(*facts: Fact) -> list[object]:
    case = Case(
        Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ()), (), (OUT,), facts, (), Inventory.build(facts), ()
    )
    return [each.fact.attributes["text"] for each in joined(case)]


def test_a_default_limit_after_the_engine_s_first_number_changed_was_lowered_by_it() -> None:
    words = "the upgrade of containerd.io from 1.7.29 to 2.1.5, which leaves the default of 1024"
    assert told(limit(), upgrade()) == [words]
    assert told(limit(), upgrade("docker-ce", "5:28.5.2-1~debian", "5:29.0.1-1~debian"))


def test_the_engine_that_starts_processes_comes_first() -> None:
    (words,) = told(limit(), upgrade("docker-ce", "5:28.5.2-1", "5:29.0.1-1"), upgrade())
    assert "containerd.io" in str(words)


def test_a_larger_limit_another_package_or_a_small_step_tell_nothing() -> None:
    assert told(limit(1048576), upgrade()) == []
    assert told(limit(), upgrade("nginx")) == []
    assert told(limit(), upgrade(new="1.7.30-1")) == []
    assert told(upgrade()) == []
    assert told(limit(of="container:other"), upgrade()) == []


def test_a_series_of_limits_is_one_fact() -> None:
    text = "$ docker exec hub sh -c 'ulimit -Sn; ulimit -Hn; ls /proc/1/fd | wc -l'\n1024\n524288\n1019\n"
    (fact,) = [each for each in facts_of("artifacts/a.txt", text, Clock(NOW)) if each.kind == "limit"]
    assert fact.entity == "container:hub"
    assert fact.attributes == {"name": "open files", "soft": 1024, "hard": 524288, "used": 1019}
