"""A node that began with an empty directory under a new name, beside the full one of its former name."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.renamed import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
BASE = "/var/lib/rabbitmq/mnesia"
EMPTY = Finding(
    "container:broker", "data.node_renamed", "s", (Citation("l.1", "logs/broker.log"),), captures={"node": "rabbit@b2"}
)


def directory(path: str, size: int) -> Fact:
    return Fact("directory", f"disk:{path}", {"path": path, "size": size}, "artifacts/facts.txt")


def found(*facts: Fact, findings: tuple[Finding, ...] = (EMPTY,)) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    told = [each.fact for each in joined(case)]
    return [(f.entity, f.attributes["former"], f.attributes.get("former_size")) for f in told]


OWN = directory(f"{BASE}/rabbit@b2", 4096)


def test_the_largest_directory_of_a_former_name_is_told() -> None:
    older, former = directory(f"{BASE}/rabbit@a0", 9000), directory(f"{BASE}/rabbit@a1", 900_000)
    assert found(OWN, older, former) == [("container:broker", "rabbit@a1", 900_000)]


@pytest.mark.parametrize(
    "other",
    [
        directory(f"{BASE}/rabbit@a1", 100),  # smaller: the present name is the old one
        directory(f"{BASE}/rabbit@a1.pid", 900_000),
        directory(f"{BASE}/backup@a1", 900_000),  # another server's
        directory("/srv/old/rabbit@a1", 900_000),  # not beside it
        directory(f"{BASE}/config", 900_000),
    ],
)
def test_what_is_smaller_elsewhere_or_anothers_is_none(other: Fact) -> None:
    assert found(OWN, other) == []
    assert found(OWN, directory(f"{BASE}/rabbit@a1", 900_000), findings=()) == []


def test_a_node_called_after_its_container_is_renamed_when_that_is_recreated_over_its_volume() -> None:
    now, before = "b" * 12, "a" * 12
    told = replace(EMPTY, captures={"node": f"rabbit@{now}"})
    own = Fact("container", "container:broker", {"id": now + "0" * 52, "mounts": ["/srv/mq:/var/lib/rabbitmq:rw"]}, "d")
    gone = Fact("event", "container:broker", {"reason": "destroy", "object": before + "0" * 52}, "docker/events.jsonl")
    assert found(own, gone, findings=(told,)) == [("container:broker", f"rabbit@{before}", None)]
    assert found(replace(own, attributes={"id": now + "0" * 52}), gone, findings=(told,)) == []  # no volume
    assert found(own, replace(gone, entity="container:other"), findings=(told,)) == []
    assert found(own, findings=(told,)) == []
