"""Our servers over HTTP: the token, the real command, and a second host as a network namespace."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from analysis.secrets.redaction import Redactor
from domain.errors import MissingSetting
from domain.tool import Caller, ToolResult
from mcp_servers.http import must_be_safe
from tools.call import Governance
from tools.hub import Hub
from tools.ledger import Ledger
from tools.registry import grants
from tools.servers import Servers
from tools.targets import Remote, Target

ROOT = Path(__file__).parents[3]
TOKEN = "a-token-of-this-test"
INFRA = Caller("infra")


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from app.cli import main; main()", "mcp", *words]


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"PYTHONPATH": str(ROOT), "FISHBONE_DATA": str(folder), "FISHBONE_DOCKER_HOST": "off"} | more


@asynccontextmanager
async def served(
    folder: Path, *words: str, before: tuple[str, ...] = (), at: str = "127.0.0.1", port: int, **more: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The real command, until it answers; ended with SIGTERM."""
    started = await asyncio.create_subprocess_exec(
        *before, *command(*words, "--http", "--host", at, "--port", str(port)),
        env=environment(folder, FISHBONE_MCP_TOKEN=TOKEN, **more), cwd=folder, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        await _until_answering(f"http://{at}:{port}/", started)
        yield started
    finally:
        if started.returncode is None:
            started.send_signal(signal.SIGCONT)
            started.terminate()
        await asyncio.wait_for(started.communicate(), 15)


async def _until_answering(url: str, started: asyncio.subprocess.Process) -> None:
    end = time.monotonic() + 40
    async with httpx2.AsyncClient(trust_env=False) as client:
        while time.monotonic() < end:
            assert started.returncode is None and started.stderr is not None, "the server ended"
            try:
                assert (await client.get(url)).status_code == 401
                return
            except httpx2.TransportError:
                await asyncio.sleep(0.1)
    pytest.fail("the server does not answer")


@asynccontextmanager
async def hub_over(targets: dict[str, Target]) -> AsyncIterator[tuple[Hub, Servers]]:
    servers = Servers(targets)
    try:
        registry = await servers.specs()
        granted = grants({"infra": ["*"]}, registry) if registry else {}
        yield Hub(Governance(registry, granted, servers, Redactor(b"key")), Ledger()), servers
    finally:
        await servers.close()


async def snapshot(hub: Hub) -> ToolResult:
    return await hub.call(INFRA, "host_snapshot", {"kinds": ["memory", "setting"]})


@pytest.fixture
def port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def test_without_the_token_nobody_is_let_in(tmp_path: Path, port: int) -> None:
    async with served(tmp_path, "host", port=port):
        for token in ("", "wrong"):
            async with hub_over({"vm2": Remote(f"http://127.0.0.1:{port}/mcp", token)}) as (_, servers):
                assert "vm2" in servers.problems[0]
        async with hub_over({"vm2": Remote(f"http://127.0.0.1:{port}/mcp", TOKEN)}) as (hub, servers):
            assert servers.problems == ()
            assert (await snapshot(hub)).status == "ok"
        at_its_name = {"vm2.host": Remote(f"http://127.0.0.1:{port}/host/mcp", TOKEN)}  # as `remote` looks for it
        async with hub_over(at_its_name) as (_, servers):
            assert servers.problems == ()


async def test_a_server_that_is_killed_or_stopped_ends_one_call_and_answers_again_when_it_is_back(
    tmp_path: Path, port: int
) -> None:
    remote = {"vm2": Remote(f"http://127.0.0.1:{port}/mcp", TOKEN)}
    async with served(tmp_path, "host", port=port) as process, hub_over(remote) as (hub, _):
        spec = hub._by.registry["host_snapshot"]
        object.__setattr__(spec, "timeout_seconds", 3.0)
        object.__setattr__(spec, "retries", 0)
        assert (await snapshot(hub)).status == "ok"
        process.send_signal(signal.SIGSTOP)
        assert (await snapshot(hub)).status in ("timeout", "unavailable")
        process.send_signal(signal.SIGCONT)
        assert (await _until_ok(hub)).status == "ok"
        process.kill()
        await process.wait()
        assert (await snapshot(hub)).status == "unavailable"
        async with served(tmp_path, "host", port=port):
            assert (await _until_ok(hub)).status == "ok"


async def _until_ok(hub: Hub) -> ToolResult:
    for _ in range(6):
        result = await snapshot(hub)
        if result.status == "ok":
            break
    return result


def test_beyond_loopback_a_token_is_needed() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "db1"):
        with pytest.raises(MissingSetting, match="FISHBONE_MCP_TOKEN"):
            must_be_safe(host, "")
        must_be_safe(host, TOKEN)
    for host in ("127.0.0.1", "::1", "localhost"):
        must_be_safe(host, "")


def test_the_command_refuses_to_start_beyond_loopback_without_a_token(tmp_path: Path) -> None:
    done = subprocess.run(
        command("host", "--http", "--host", "0.0.0.0"), env=environment(tmp_path), cwd=tmp_path, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and b"FISHBONE_MCP_TOKEN" in done.stderr


def test_a_live_source_is_served_over_stdio_too(tmp_path: Path) -> None:
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    done = subprocess.run(
        command("containers"), input=json.dumps(first).encode() + b"\n", env=environment(tmp_path), cwd=tmp_path,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "containers"


def ip(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["ip", *words], capture_output=True, check=False, timeout=10)


@pytest.fixture
def second_host() -> Iterator[tuple[str, str]]:
    """A network namespace behind a veth pair: its name and address."""
    if os.getuid() != 0 or not shutil.which("ip"):
        pytest.skip("a network namespace needs root and iproute2")
    name = f"fb{os.getpid()}"
    if (made := ip("netns", "add", name)).returncode:
        pytest.skip(f"no network namespace can be made here: {made.stderr.decode()[-200:]}")
    try:
        pair = ip("link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b", "netns", name)
        if pair.returncode:
            pytest.skip(f"no veth pair can be made here: {pair.stderr.decode()[-200:]}")
        ip("addr", "add", "10.213.7.1/30", "dev", f"{name}a")
        ip("link", "set", f"{name}a", "up")
        for words in (("addr", "add", "10.213.7.2/30", "dev", f"{name}b"), ("link", "set", f"{name}b", "up"),
                      ("link", "set", "lo", "up")):  # fmt: skip
            ip("-n", name, *words)
        yield name, "10.213.7.2"
    finally:
        ip("link", "del", f"{name}a")
        ip("netns", "del", name)


async def test_a_second_host_is_asked_beside_this_one_and_its_absence_is_a_problem(
    tmp_path: Path, second_host: tuple[str, str], port: int
) -> None:
    name, address = second_host
    (tmp_path / "app.log").write_text("2026-01-01T00:00:00Z ERROR on the second host\n")
    inside = ("ip", "netns", "exec", name)
    more = {"FISHBONE_HOST_NAME": "vm2", "FISHBONE_LOG_GLOBS": f"{tmp_path}/*.log"}
    targets: dict[str, Target] = {
        f"vm2.{area}": Remote(f"http://{address}:{port}/{area}/mcp", TOKEN) for area in ("network", "logs", "host")
    }
    async with hub_over(targets) as (_, servers):
        assert len(servers.problems) == 3  # nobody listens yet
    second = served(tmp_path, "all", before=inside, at=address, port=port, **more)
    async with second, hub_over(targets) as (hub, servers):
        assert servers.problems == ()
        network = await hub.call(INFRA, "network_probes", {})
        logs = await hub.call(INFRA, "logs_search", {"grep": "second host"})
        memory = await snapshot(hub)
    told = [fact["attributes"].get("addresses") or [] for fact in network.data["facts"]]
    assert any("10.213.7.2/30" in addresses for addresses in told)
    assert logs.data["lines"][0]["source"] == f"vm2/{str(tmp_path / 'app.log').lstrip('/')}"
    assert {fact["entity"] for fact in memory.data["facts"]} == {"host:vm2"}
