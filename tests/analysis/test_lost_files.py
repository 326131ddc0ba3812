"""What compose puts into a container, and an updater does not."""

from datetime import UTC, datetime, timedelta

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.lost_files import joined
from domain.alert import Incident, Window
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
ASKED = Fact("container", "container:proxy", {"put_files": ["/etc/proxy.conf"]}, "artifacts/compose.txt")
RUNS = Fact("container", "container:proxy", {"state": "running", "unmounted": True}, "docker/containers.json")
UPDATER = Fact("container", "container:updates", {"state": "running", "image": "containrrr/watchtower:1.7"}, "d.json")
GONE = Fact("event", "container:proxy", {"reason": "destroy"}, "docker/events.jsonl", NOW - timedelta(seconds=2))
MADE = Fact("event", "container:proxy", {"reason": "create"}, "docker/events.jsonl", NOW)


def found(*facts: Fact) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


def test_a_container_that_an_updater_made_anew_has_lost_what_compose_put_into_it() -> None:
    assert found(ASKED, RUNS, UPDATER, GONE, MADE) == [("container:proxy", "/etc/proxy.conf", "updates")]


def test_without_an_updater_a_recreation_such_files_or_with_a_mount_for_them_nothing_is_lost() -> None:
    assert found(ASKED, RUNS, GONE, MADE) == []
    assert found(ASKED, RUNS, UPDATER) == []
    assert found(RUNS, UPDATER, GONE, MADE) == []
    mounted = Fact(
        "container", "container:proxy", {"state": "running", "mounts": ["/srv/p.conf:/etc/proxy.conf:ro"]}, "d.json"
    )
    assert found(ASKED, mounted, UPDATER, GONE, MADE) == []
    other = Fact("event", "container:web", {"reason": "create"}, "docker/events.jsonl", NOW)
    assert found(ASKED, RUNS, UPDATER, GONE, other) == []


def test_a_first_start_compose_itself_portainer_or_mounts_that_nobody_read_lose_nothing() -> None:
    assert found(ASKED, RUNS, UPDATER, MADE) == []
    later = Fact("event", "container:proxy", {"reason": "destroy"}, "docker/events.jsonl", NOW + timedelta(seconds=2))
    assert found(ASKED, RUNS, UPDATER, MADE, later) == []
    manager = Fact("container", "container:ui", {"state": "running", "image": "portainer/portainer-ce:2"}, "d.json")
    assert found(ASKED, RUNS, manager, GONE, MADE) == []
    listed = Fact("container", "container:proxy", {"state": "running"}, "docker/ps.txt")
    assert found(ASKED, listed, UPDATER, GONE, MADE) == []
