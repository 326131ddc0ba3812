"""A container whose network belonged to another one that is gone, or was started again."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.shared_network import lost_networks
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
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in lost_networks(case)]


GUEST = container("client", OTHER, "2026-03-04T11:00:00Z", f"container:{OWNER}")


def test_an_owner_that_no_longer_exists_took_the_network_with_it() -> None:
    assert lost(GUEST, container("tunnel", "c" * 64, "2026-03-04T11:30:00Z")) == [
        ("container:client", OWNER[:12], "removed")
    ]


@pytest.mark.parametrize(
    ("started", "expected"),
    [("2026-03-04T11:30:00Z", [("container:client", "tunnel", "started again")]), ("2026-03-04T10:30:00Z", [])],
)
def test_an_owner_that_started_after_its_guest_has_another_network(started: str, expected: object) -> None:
    assert lost(GUEST, container("tunnel", OWNER, started)) == expected


def test_a_network_of_its_own_is_not_lost() -> None:
    assert lost(container("web", OTHER, "2026-03-04T11:00:00Z")) == []
