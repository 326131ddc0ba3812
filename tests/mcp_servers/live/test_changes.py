"""Live changes: what somebody did, told apart from what follows by itself; packages by the manager's history."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from domain.alert import Window
from mcp_servers.live.changes import LiveChanges, packages
from mcp_servers.live.engine import Engine
from mcp_servers.live.watch import Watch

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
WATCH = Watch("vm1", window=Window(NOW - timedelta(hours=1), NOW))
DPKG = """\
2026-01-02 11:00:01 startup archives unpack
2026-01-02 11:00:02 upgrade libssl3:amd64 3.0.1 3.0.2
2026-01-02 11:00:03 status unpacked libssl3:amd64 3.0.2
2026-01-02 11:00:09 install nginx:amd64 <none> 1.22
2026-01-02 11:30:00 remove redis:amd64 7.0 <none>
2025-12-01 11:30:00 remove old:amd64 7.0 <none>
2026-01-02 13:00:00 install later:amd64 <none> 1
"""


class Events(Engine):
    """An engine that remembers these events."""

    def __init__(self, *events: dict[str, Any]) -> None:
        super().__init__("unix:///nonexistent")
        self._events = list(events)

    def events(self, since: datetime, until: datetime) -> list[dict[str, Any]]:
        return self._events


def event(kind: str, action: str, second: float, name: str, identity: str = "", **told: str) -> dict[str, Any]:
    at = NOW.timestamp() - 600 + second
    return {"Type": kind, "Action": action, "Actor": {"ID": identity or name, "Attributes": {"name": name, **told}},
            "time": int(at), "timeNano": int(at * 1e9)}  # fmt: skip


def test_packages_of_one_minute_are_one_change_and_old_ones_none(tmp_path: Path) -> None:
    (tmp_path / "dpkg.log").write_text(DPKG)
    found = LiveChanges(Engine("off"), WATCH, tmp_path / "dpkg.log").changed()
    assert [(change.summary, change.entity, change.kind) for change in found.changes] == [
        ("packages: upgrade libssl3 3.0.1 -> 3.0.2, install nginx", "vm1", "deploy"),
        ("packages: remove redis", "vm1", "deploy"),
    ]
    assert found.after_window == 1
    assert found.changes[0].quote in DPKG


def test_a_machine_without_that_history_has_no_problem() -> None:
    found = LiveChanges(Engine("off"), WATCH, Path("/nonexistent")).changed()
    assert (found.changes, found.problems) == ((), ())


def test_networks_that_a_start_joins_are_no_change_and_one_that_somebody_cuts_is() -> None:
    engine = Events(
        event("network", "connect", 0.0, "shop", container="c1"),
        event("container", "start", 0.4, "web", "c1", image="shop/web:2"),
        event("container", "die", 60.0, "web", "c1"),
        event("network", "disconnect", 60.2, "shop", container="c1"),
        event("network", "disconnect", 120.0, "shop", container="c1"),
        event("container", "update", 130.0, "web", "c1", image="shop/web:2"),
    )
    found = LiveChanges(engine, WATCH, Path("/nonexistent")).changed()
    assert [(change.entity, change.summary) for change in found.changes] == [
        ("web", "network shop: disconnect web"),
        ("web", "container web: update (image shop/web:2)"),
    ]


def test_the_zone_of_the_machine_is_that_of_its_stamps() -> None:
    watch = Watch("vm1", "Asia/Shanghai", WATCH.window)
    (change,) = packages("2026-01-02 19:30:00 install nginx:amd64 <none> 1", "x", "vm1", watch.stamps, watch.start)
    assert change.time == datetime(2026, 1, 2, 11, 30, tzinfo=UTC)
