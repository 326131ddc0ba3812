"""What filled the memory: workers by cores, a reload."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.out_of_memory import killed_in_reload, workers_by_cores
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CITED = (Citation("l.1", "logs/app.log"),)
KILLED = Finding("container:app", "memory.oom_kill", "s", CITED, onset=NOW, weight=1.0)
SETTING = "workers = multiprocessing.cpu_count() * 2 + 1"
BY_CORES = Finding(
    "container:app", "memory.worker_count", "s", CITED,
    signature="memory-worker-count/by_cores", captures={"setting": SETTING},
)  # fmt: skip


def case(findings: tuple[Finding, ...], *facts: Fact) -> Case:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    return Case(incident, (), findings, facts, (), Inventory.build(facts), ())


def count(command: str, value: int, of: str = "container:app") -> Fact:
    return Fact("reading", of, {"command": command, "text": str(value), "value": value})


def reload(seconds: int, of: str = "container:app") -> Finding:
    return Finding(
        of, "memory.reload_doubles", "s", CITED, onset=NOW - timedelta(seconds=seconds),
        signature="memory-reload-doubles/reload", captures={"what": "Forcing reload"},
    )  # fmt: skip


def test_workers_that_follow_many_cores_are_counted() -> None:
    cores = count("docker exec app python -c 'print(os.cpu_count())'", 64)
    running = count("docker exec app sh -c 'ps aux | grep -c gunicorn'", 120)
    (told,) = workers_by_cores(case((KILLED, BY_CORES), cores, running))
    assert told.fact.attributes["text"] == f"{SETTING}; 120 processes run"
    assert told.fact.attributes["value"] == 64
    assert list(workers_by_cores(case((KILLED, BY_CORES), Fact("cpu", "host:localhost", {"cpus": 32}))))


def test_few_cores_another_machine_or_no_kill_tell_nothing() -> None:
    cores = count("docker exec app nproc", 64)
    assert list(workers_by_cores(case((BY_CORES,), cores))) == []
    assert list(workers_by_cores(case((KILLED,), cores))) == []
    assert list(workers_by_cores(case((KILLED, BY_CORES), count("docker exec app nproc", 4)))) == []
    assert list(workers_by_cores(case((KILLED, BY_CORES), Fact("cpu", "host:other", {"cpus": 64})))) == []
    assert list(workers_by_cores(case((KILLED, BY_CORES), count("docker exec app sh -c 'ls | wc -l'", 64)))) == []


def test_a_kill_soon_after_a_reload_began_is_of_it() -> None:
    (told,) = killed_in_reload(case((KILLED, reload(20))))
    assert told.fact.entity == "container:app" and told.fact.attributes["value"] == 20


def test_a_kill_long_after_before_or_elsewhere_is_not() -> None:
    assert list(killed_in_reload(case((KILLED, reload(3600))))) == []
    assert list(killed_in_reload(case((KILLED, reload(-30))))) == []
    assert list(killed_in_reload(case((KILLED, reload(20, "container:other"))))) == []


def test_a_kill_of_another_container_after_the_reload_is_not_of_it() -> None:
    long_ago = replace(KILLED, onset=NOW - timedelta(days=1))
    other = replace(KILLED, entity="container:other")
    assert list(killed_in_reload(case((long_ago, other, reload(20))))) == []


def test_a_process_killed_in_a_cgroup_is_of_the_only_container_that_was_killed() -> None:
    flagged = replace(KILLED, onset=None)
    process = replace(KILLED, entity="process:scand", signature="memory-oom-kill/cgroup_kill")
    (told,) = killed_in_reload(case((flagged, process, reload(20))))
    assert (told.fact.entity, told.fact.attributes["value"]) == ("container:app", 20)
    other = replace(flagged, entity="container:other")
    assert list(killed_in_reload(case((flagged, other, process, reload(20))))) == []
    by_host = replace(process, signature="memory-oom-kill/host_kill")
    assert list(killed_in_reload(case((flagged, by_host, reload(20))))) == []
