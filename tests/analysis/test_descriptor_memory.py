"""Memory that a program takes since it may open a billion files."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.descriptor_memory import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
OOM = Finding("host:app-1", "memory.host_oom", "s", (Citation("l.1", "logs/kern.log"),))
GIB = 2**30


def limit(soft: Attribute, name: str = "open files", of: str = "container:db") -> Fact:
    return Fact("limit", of, {"name": name, "soft": soft}, "artifacts/host.txt")


def holds(used: int, most: int = 20 * GIB, of: str = "container:db") -> Fact:
    return Fact("container", of, {"memory_usage": used, "memory_limit": most}, "artifacts/host.txt")


def found(*facts: Fact, findings: tuple[Finding, ...] = (OOM,)) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


def test_a_container_that_holds_most_of_the_memory_under_such_a_limit_is_told() -> None:
    seen = found(limit(1073741816, "Max open files"), limit(1048576), holds(16 * GIB), holds(GIB // 4))
    assert seen == [("container:db", "16 GiB", 1073741816)]


def test_a_usual_limit_little_memory_another_container_or_enough_memory_is_none() -> None:
    assert found(limit(1048576), holds(16 * GIB)) == []
    assert found(limit(1073741816, "max user processes"), holds(16 * GIB)) == []
    assert found(limit("unlimited"), holds(16 * GIB)) == []
    assert found(limit(1073741816), holds(2 * GIB)) == []
    assert found(limit(1073741816), holds(16 * GIB, of="container:search")) == []
    assert found(limit(1073741816), holds(16 * GIB), findings=()) == []


KILL = "Out of memory: Killed process 911 (mysqld) total-vm:17000000kB, anon-rss:14000000kB, file-rss:0kB"
KILLED = Fact("kernel", "process:mysqld", {"event": "oom_kill", "message": KILL}, "artifacts/host.txt")
FRESH = {"command": "docker run --rm --entrypoint sh mysql:5.7 -c 'ulimit -Hn; ulimit -Sn'"}
DB = Fact("container", "container:db", {"image": "mysql:5.7"}, "docker/containers.json")


def reading(text: str, **told: Attribute) -> Fact:
    return Fact("reading", "host:localhost", {"text": text, **told}, "artifacts/host.txt")


def test_one_killed_with_it_is_told_by_the_limit_of_a_fresh_container() -> None:
    assert found(reading("1073741816\n1073741816", **FRESH), KILLED, DB) == [("container:db", "13.4 GiB", 1073741816)]
    assert found(reading("1048576\n1048576", **FRESH), KILLED, DB) == []
    assert found(reading("1073741816", command="sysctl -n fs.file-max"), KILLED, DB) == []


def test_so_it_is_by_the_engine_s_unit_where_the_kernel_sets_no_lower_bound() -> None:
    unit = reading("LimitNOFILE=infinity", command="systemctl show docker -p LimitNOFILE")
    kernel = Fact("setting", "host:localhost", {"name": "fs.nr_open", "value": 1073741816}, "artifacts/host.txt")
    usual = Fact("setting", "host:localhost", {"name": "fs.nr_open", "value": 1048576}, "artifacts/host.txt")
    assert found(unit, kernel, KILLED) == [("process:mysqld", "13.4 GiB", "infinity")]
    assert found(unit, usual, KILLED) == []
    assert found(unit, kernel) == []


def test_one_kill_is_told_once() -> None:
    unit = reading("LimitNOFILE=infinity", command="systemctl show docker -p LimitNOFILE")
    kernel = Fact("setting", "host:localhost", {"name": "fs.nr_open", "value": 1073741816}, "artifacts/host.txt")
    fresh = reading("1073741816\n1073741816", **FRESH)
    assert found(fresh, unit, kernel, KILLED, DB) == [("container:db", "13.4 GiB", 1073741816)]


def test_one_killed_as_only_a_log_tells_is_the_one_that_runs_the_image() -> None:
    def killed(words: str) -> Finding:
        cited = Citation("log.1", "logs/kernel.log", 2, words)
        return Finding("host:db-1", "memory.host_oom", "killed", (cited,))

    fresh = reading("1073741816", command="docker run --rm mysql:5.7 sh -c 'ulimit -n'")
    told = [("container:db", "13.4 GiB", 1073741816)]
    assert found(fresh, DB, findings=(killed(KILL),)) == told
    assert found(fresh, DB, findings=(killed(KILL.replace("Out of memory", "Memory cgroup out of memory")),)) == []
    assert found(fresh, findings=(killed(KILL),)) == []
    assert found(reading("1048576", **FRESH), DB, findings=(killed(KILL),)) == []
