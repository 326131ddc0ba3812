"""The state of live sources, and what their settings take."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.live import live_servers, log_globs, remote_targets
from app.live_state import states
from app.settings import load_settings
from domain.alert import Incident, Window
from domain.errors import BadConfiguration
from tools.targets import Remote

NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def test_sources_that_are_away_are_degraded_with_the_reason_and_absent_ones_off(tmp_path: Path) -> None:
    settings = load_settings(
        docker_host="unix:///nonexistent.sock", prometheus_url="http://127.0.0.1:9", journal="/nonexistent.journal",
        log_globs=f"{tmp_path}/*.log", network_allow="db:5432,bad://x",
        remote={"vm2": {"url": "http://127.0.0.1:9", "areas": ["host"]}},
    )  # fmt: skip
    found = {name: (state, said) async for name, state, said in states(settings)}
    assert {name for name, (state, _) in found.items() if state == "degraded"} == {
        "containers", "logs", "journal", "metrics", "network", "server vm2.host",
    }  # fmt: skip
    assert "nonexistent.sock" in found["containers"][1] or "No such file" in found["containers"][1]


async def test_sources_that_nobody_set_up_are_off() -> None:
    found = {name: state async for name, state, _ in states(load_settings(docker_host="off", journal="off"))}
    assert (found["host"], found["containers"], found["journal"], found["metrics"]) == ("ok", "off", "off", "off")


def test_a_remote_host_has_a_server_for_each_area_and_its_token_is_not_shown() -> None:
    remote = {
        "db1": {"url": "http://db1:8765/", "token": "secret", "areas": ["host", "logs"]},
        "db2": {"url": "http://db2:8765/mcp", "areas": ["host"]},
        "x": {"url": "http://x/mcp"},
        "y": {"url": "http://y/"},
    }
    settings = load_settings(remote=remote)
    targets = remote_targets(settings)
    assert targets["db1.host"] == Remote("http://db1:8765/host/mcp", "secret")
    assert targets["db2.host"] == Remote("http://db2:8765/host/mcp")
    assert (targets["x"], targets["y"]) == (Remote("http://x/mcp"), Remote("http://y/mcp"))
    assert "secret" not in repr(targets) and "secret" not in repr(settings)


def test_an_area_that_does_not_exist_stops_the_start() -> None:
    with pytest.raises(BadConfiguration, match="FISHBONE_REMOTE"):
        load_settings(remote={"db1": {"url": "http://db1", "areas": ["everything"]}})


def test_globs_of_the_settings_stand_and_of_the_usual_ones_those_that_match() -> None:
    assert log_globs(load_settings(log_globs=" /srv/*.log , /nonexistent/*")) == ("/srv/*.log", "/nonexistent/*")
    assert all(Path(glob).parent.parts[1] == "var" for glob in log_globs(load_settings()))


def test_an_incident_has_the_same_servers_as_a_bundle() -> None:
    incident = Incident("i", "t", NOW, Window(NOW, NOW), "UTC", ())
    assert list(live_servers(load_settings(docker_host="off"), incident)) == [
        "logs", "metrics", "traces", "topology", "containers", "host", "network", "changes",
    ]  # fmt: skip
