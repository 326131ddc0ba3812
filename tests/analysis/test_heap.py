"""A heap that is as large as its container's limit, in a container that was killed at it."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.heap import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
GIB = 1 << 30
KILLED = Finding("container:search", "memory.oom_kill", "s", (Citation("i.1", "docker/containers.json"),), weight=1.0)


def container(limit: int | None = GIB, **told: Attribute) -> Fact:
    return Fact("container", "container:search", {"memory_limit": limit, **told}, "docker/containers.json")


def found(fact: Fact, *findings: Finding) -> list[tuple[object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, (fact,), (), Inventory.build((fact,)), ())
    return [(f.fact.attributes["heap"], f.fact.attributes["heap_option"]) for f in joined(case)]


@pytest.mark.parametrize(
    ("told", "heap", "option"),
    [
        ({"env": ["JAVA_OPTS=-Xms512m -Xmx1g"]}, GIB, "-Xmx1g"),
        ({"command": ["java", "-Xmx2048m", "-jar", "a.jar"]}, 2 * GIB, "-Xmx2048m"),
        ({"env": ["NODE_OPTIONS=--max-old-space-size=1024"]}, GIB, "--max-old-space-size=1024"),
        ({"env": ["GOMEMLIMIT=1GiB"]}, GIB, "GOMEMLIMIT=1GiB"),
        ({"command": "redis-server --maxmemory 1gb"}, GIB, "--maxmemory 1gb"),
        ({"command": ["mongod", "--wiredTigerCacheSizeGB", "1.5"]}, 3 * GIB // 2, "--wiredTigerCacheSizeGB 1.5"),
        ({"command": ["mysqld", "--innodb-buffer-pool-size=1G"]}, GIB, "--innodb-buffer-pool-size=1G"),
    ],
)
def test_what_may_use_the_whole_limit_is_told_with_its_option(
    told: dict[str, Attribute], heap: int, option: str
) -> None:
    assert found(container(**told), KILLED) == [(heap, option)]


@pytest.mark.parametrize(
    ("fact", "findings"),
    [
        (container(env=["JAVA_OPTS=-Xmx512m"]), (KILLED,)),  # it fits: something else grew
        (container(env=["JAVA_OPTS=-Xmx1g"]), ()),  # nobody was killed
        (container(None, env=["JAVA_OPTS=-Xmx1g"]), (KILLED,)),
        (container(command=["sendmail", "-m 4g"]), (KILLED,)),  # a short option of another program
    ],
)
def test_a_heap_that_fits_or_no_kill_is_none(fact: Fact, findings: tuple[Finding, ...]) -> None:
    assert found(fact, *findings) == []
