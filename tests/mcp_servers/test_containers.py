"""The containers server over a bundle, through real MCP sessions."""

from pathlib import Path
from typing import Any

from mcp import Client

from domain.codec import from_plain
from domain.results import Facts
from mcp_servers.containers import containers
from mcp_servers.recorded.containers import RecordedContainers
from tests.mcp_servers.infra_bundle import infra_bundle


async def ask(
    folder: Path, tool: str, arguments: dict[str, Any] | None = None, extra: dict[str, str] | None = None
) -> Facts:
    server = containers(RecordedContainers(infra_bundle(folder, extra)))
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments or {})
    assert not result.is_error, result.content
    return from_plain(Facts, result.structured_content)


async def test_inspect_tells_exit_code_oom_kill_limit_and_restarts(tmp_path: Path) -> None:
    (fact,) = (await ask(tmp_path, "containers_inspect")).facts
    assert fact.entity == "container:shop-api"
    told = fact.attributes
    assert (told["exit_code"], told["oom_killed"], told["memory_limit"], told["restart_count"]) == (
        137,
        True,
        536870912,
        4,
    )
    assert told["depends_on"] == ["db"] and told["networks"] == ["shop_default=172.20.0.5"]
    assert fact.quote is None and fact.source == "docker/containers.json"


async def test_inspect_by_name_by_service_or_by_short_id_finds_the_same_container(tmp_path: Path) -> None:
    for name in ("shop-api", "api", "9f2c4f6b1d0e"):
        found = await ask(tmp_path, "containers_inspect", {"name": name})
        assert [fact.entity for fact in found.facts] == ["container:shop-api"]


async def test_an_unknown_name_gives_no_facts_and_says_what_was_asked(tmp_path: Path) -> None:
    found = await ask(tmp_path, "containers_inspect", {"name": "nobody"})
    assert found.facts == () and found.searched.filter == "name=nobody" and found.searched.matched == 0


async def test_events_after_the_window_are_withheld_and_counted(tmp_path: Path) -> None:
    found = await ask(tmp_path, "containers_events")
    assert [fact.attributes["action"] for fact in found.facts] == ["oom", "die"]
    assert found.searched.after_window == 1


async def test_events_can_be_cut_by_time(tmp_path: Path) -> None:
    found = await ask(tmp_path, "containers_events", {"since": "2026-01-01T10:00:01Z"})
    assert [fact.attributes["action"] for fact in found.facts] == ["die"]


async def test_stats_tell_use_beside_the_limit(tmp_path: Path) -> None:
    (fact,) = (await ask(tmp_path, "containers_stats")).facts
    assert fact.attributes["memory_usage"] == 508 * 1024**2 and fact.attributes["memory_limit"] == 512 * 1024**2


async def test_list_keeps_the_state_and_leaves_the_environment_out(tmp_path: Path) -> None:
    (fact,) = (await ask(tmp_path, "containers_list")).facts
    assert fact.attributes["state"] == "restarting" and "env" not in fact.attributes


async def test_a_broken_document_is_a_problem_and_hides_nothing_else(tmp_path: Path) -> None:
    found = await ask(tmp_path, "containers_events", extra={"docker/containers.json": "[{"})
    assert len(found.facts) == 2
    assert any("docker/containers.json" in problem for problem in found.searched.problems)


async def test_pods_of_a_captured_list_are_handed_out_with_line_and_quote(tmp_path: Path) -> None:
    listed = (
        "$ kubectl get pods\n"
        "NAME                    READY   STATUS             RESTARTS      AGE\n"
        "cart-6d4cf56db6-x7k2p   0/1     CrashLoopBackOff   7 (30s ago)   12m\n"
    )
    found = await ask(tmp_path, "containers_inspect", {"name": "cart-6d4cf56db6-x7k2p"}, {"artifacts/pods.txt": listed})
    (fact,) = found.facts
    assert (fact.entity, fact.line) == ("pod:cart-6d4cf56db6-x7k2p", 3)
    assert fact.quote is not None and fact.quote in listed.split("\n")[2]


async def test_a_container_known_by_its_id_gets_its_name_and_its_limit(tmp_path: Path) -> None:
    path = f"/sys/fs/cgroup/system.slice/docker-{'9f2c4f6b1d0e' + '0' * 52}.scope/memory.current"
    found = await ask(tmp_path, "containers_stats", extra={"artifacts/cgroup.txt": f"$ cat {path}\n536870912\n"})
    fact = next(fact for fact in found.facts if fact.source == "artifacts/cgroup.txt")
    assert (fact.entity, fact.attributes) == (
        "container:shop-api",
        {"memory_usage": 536870912, "memory_limit": 536870912},
    )
