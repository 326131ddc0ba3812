"""A container whose network belonged to another one that is gone, or was started again."""

from datetime import UTC, datetime

import pytest

from analysis.captures import docker_ps
from analysis.captures.command import parse_command
from analysis.captures.context import Context
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.shared_network import joined
from domain.alert import Incident, Window
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
OWNER, OTHER = "a" * 64, "b" * 64


def container(name: str, of: str, started: str, mode: str = "bridge") -> Fact:
    told = {"id": of, "state": "running", "started_at": started, "network_mode": mode}
    return Fact("container", f"container:{name}", dict(told), "docker/containers.json")


def lost(*facts: Fact) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


GUEST = container("client", OTHER, "2026-03-04T11:00:00Z", f"container:{OWNER}")


NO_NETWORK = Fact("docker_network", "network:none", {"name": "none", "driver": "null"}, "docker/containers.json")


def test_an_owner_that_a_list_of_all_has_not_took_the_network_with_it() -> None:
    assert lost(GUEST, container("tunnel", "c" * 64, "2026-03-04T11:30:00Z"), NO_NETWORK) == [
        ("container:client", OWNER[:12], "removed")
    ]


def test_an_owner_that_nobody_inspected_may_well_run() -> None:
    assert lost(GUEST, container("tunnel", "c" * 64, "2026-03-04T11:30:00Z")) == []


@pytest.mark.parametrize(("command", "found"), [("docker ps -a", 1), ("docker ps", 0), ("docker ps -a -f name=c", 0)])
def test_of_what_a_command_listed_only_a_list_of_all_tells_who_is_missing(command: str, found: int) -> None:
    text = f"CONTAINER ID   IMAGE   STATUS         NAMES\n{OTHER[:12]}   web     Up 2 minutes   client\n"
    listed = docker_ps.parse(text, Context("artifacts/ps.txt", parse_command(command)))
    assert len(lost(*listed, GUEST)) == found


def test_an_owner_that_the_engine_does_not_have_is_gone() -> None:
    said = Fact("note", "container:client", {"error": f"No such container: {OWNER}"}, "artifacts/start.txt")
    assert lost(GUEST, said) == [("container:client", OWNER[:12], "removed")]


@pytest.mark.parametrize(
    ("started", "expected"),
    [("2026-03-04T11:30:00Z", [("container:client", "tunnel", "started again")]), ("2026-03-04T10:30:00Z", [])],
)
def test_an_owner_that_started_after_its_guest_has_another_network(started: str, expected: object) -> None:
    assert lost(GUEST, container("tunnel", OWNER, started)) == expected


def test_a_network_of_its_own_is_not_lost() -> None:
    assert lost(container("web", OTHER, "2026-03-04T11:00:00Z")) == []
