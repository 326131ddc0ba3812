"""The host server over a bundle, through real MCP sessions."""

import json
from pathlib import Path
from typing import Any

from mcp import Client

from domain.codec import from_plain
from domain.results import Facts
from mcp_servers.host import host
from mcp_servers.recorded.host import RecordedHost
from tests.mcp_servers.infra_bundle import infra_bundle


async def ask(folder: Path, arguments: dict[str, Any] | None = None, extra: dict[str, str] | None = None) -> Facts:
    async with Client(host(RecordedHost(infra_bundle(folder, extra)))) as client:
        result = await client.call_tool("host_snapshot", arguments or {})
    assert not result.is_error, result.content
    return from_plain(Facts, result.structured_content)


async def test_captured_commands_become_facts_and_unknown_ones_become_readings(tmp_path: Path) -> None:
    found = {fact.kind: fact for fact in (await ask(tmp_path)).facts}
    assert found["filesystem"].attributes["use_percent"] == 98.0
    assert found["reading"].attributes == {
        "command": "some-unknown-tool --now",
        "name": "some-unknown-tool",
        "text": "42",
        "value": 42,
    }


async def test_only_the_kinds_that_were_asked_for_come_back(tmp_path: Path) -> None:
    found = await ask(tmp_path, {"kinds": ["filesystem"]})
    assert {fact.kind for fact in found.facts} == {"filesystem"} and found.searched.filter == "kinds=filesystem"


async def test_a_snapshot_is_read_by_kind_and_what_is_unknown_becomes_notes(tmp_path: Path) -> None:
    snapshot = {
        "filesystems": [{"mount": "/data", "total": 1000, "used": 990, "percent": 99.0}],
        "sysctl": {"vm.swappiness": 60},
        "moon": {"phase": "full"},
    }
    facts = (await ask(tmp_path, extra={"host/snapshot.json": json.dumps(snapshot)})).facts
    said = [(fact.kind, fact.entity, fact.attributes) for fact in facts if fact.source == "host/snapshot.json"]
    assert ("filesystem", "disk:/data", {"mount": "/data", "size": 1000, "used": 990, "use_percent": 99.0}) in said
    assert ("setting", "host:localhost", {"name": "vm.swappiness", "value": 60}) in said
    assert ("note", "host:localhost", {"name": "moon.phase", "text": "full"}) in said


async def test_a_bundle_without_any_capture_answers_with_nothing_and_says_where_it_looked(tmp_path: Path) -> None:
    found = await ask(tmp_path, {"kinds": ["kernel"]})
    assert found.facts == () and "artifacts/facts.txt" in found.searched.source


async def test_zombies_of_a_health_check_belong_to_the_container_that_runs_it(tmp_path: Path) -> None:
    inspect = [
        {
            "Name": "/api",
            "State": {"Status": "running"},
            "Config": {"Healthcheck": {"Test": ["CMD", "curl", "-f", "localhost"]}},
        }
    ]
    extra = {
        "docker/containers.json": json.dumps(inspect),
        "artifacts/ps.txt": "$ ps -eo stat,comm | grep -c 'Z.*curl'\n900\n",
    }
    (fact,) = (await ask(tmp_path, {"kinds": ["process"]}, extra)).facts
    assert (fact.entity, fact.attributes["count"]) == ("container:api", 900)
