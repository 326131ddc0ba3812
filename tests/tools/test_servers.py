"""Sessions with servers of other processes that die, hang, answer garbage or 50 MB: the next call works again."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import psutil
import pytest
from mcp import StdioServerParameters

from analysis.secrets.redaction import Redactor
from domain.results import Line, Lines, Searched
from domain.tool import Caller, ToolResult
from mcp_servers import governed
from tools import servers as sessions
from tools.call import Governance
from tools.hub import Hub
from tools.ledger import Ledger
from tools.registry import grants
from tools.servers import Servers
from tools.targets import Remote, Target

assert anyio.open_process  # imported when first used: inside a task pytest's rewriting of it can trip CPython 3.11
ROOT = Path(__file__).parents[2]
LOG = Caller("log")
ROGUE = StdioServerParameters(
    command=sys.executable, args=["-m", "tests.tools.rogue"], cwd=str(ROOT), env={"PYTHONPATH": str(ROOT)}
)


@asynccontextmanager
async def hub_over(**targets: Target) -> AsyncIterator[tuple[Hub, Servers]]:
    servers, ledger = Servers(targets), Ledger()
    try:
        registry = await servers.specs()
        granted = grants({"log": ["*"]}, registry) if registry else {}
        yield Hub(Governance(registry, granted, servers, Redactor(b"key")), ledger), servers
    finally:
        await servers.close()


async def rogue(hub: Hub, what: str = "well") -> ToolResult:
    return await hub.call(LOG, "rogue_ask", {"what": what})


async def test_a_server_that_dies_hangs_or_talks_garbage_ends_one_call_and_the_next_reconnects() -> None:
    async with hub_over(rogue=ROGUE) as (hub, _):
        first = await rogue(hub)
        assert first.status == "ok", first.error
        for what, status in (("die", "unavailable"), ("hang", "timeout"), ("garbage", "timeout"), ("stop", "timeout")):
            begun = time.monotonic()
            failed = await rogue(hub, what)
            assert (failed.status, time.monotonic() - begun < 8) == (status, True), failed.error
            again = await _until_ok(hub)
            assert again.status == "ok", (what, again.error)
        assert (await rogue(hub)).text != first.text  # another process answers
    left = [child.cmdline() for child in psutil.Process().children(recursive=True)]
    assert not [words for words in left if "tests.tools.rogue" in words], "a program that went silent is killed"


async def _until_ok(hub: Hub) -> ToolResult:
    """A program needs longer to start than this tool's time-out allows a call, so the second call may be the first."""
    for _ in range(8):
        result = await rogue(hub)
        if result.status == "ok":
            return result
    return result


async def test_an_answer_of_50_mb_is_refused_and_the_session_stays() -> None:
    async with hub_over(rogue=ROGUE) as (hub, _):
        assert (await rogue(hub)).status == "ok"
        failed = await rogue(hub, "much")
        assert failed.status in ("unavailable", "timeout") and len(failed.text) < 1000
        assert (await _until_ok(hub)).status == "ok"


async def test_a_program_that_never_speaks_the_protocol_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "OPEN_SECONDS", 1.0)
    mute = StdioServerParameters(command=sys.executable, args=["-c", "import time; print('garbage'); time.sleep(60)"])
    absent = StdioServerParameters(command="/nonexistent/program")
    begun = time.monotonic()
    async with hub_over(mute=mute, absent=absent) as (_, servers):
        assert len(servers.problems) == 2
        assert "mute could not be reached" in servers.problems[0]
    assert time.monotonic() - begun < 15


@asynccontextmanager
async def raw_http(body: bytes, *, hang: bool = False) -> AsyncIterator[str]:
    """An HTTP server that answers everything with the same bytes, or not at all."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            if hang:
                await asyncio.sleep(60)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode())
            for at in range(0, len(body), 1 << 20):
                writer.write(body[at : at + (1 << 20)])
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()


@pytest.mark.parametrize(
    ("body", "hang"),
    [
        (b"garbage \x00\xff", False),
        (b'{"jsonrpc": "2.0", "id": 1, "result": 7}', False),
        (b" " * (50 << 20), False),
        (b"", True),
    ],
    ids=["garbage", "no protocol", "50 MB", "hangs"],
)
async def test_a_url_behind_which_no_mcp_server_stands_is_left_out_and_told(
    body: bytes, hang: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "OPEN_SECONDS", 2.0)
    async with raw_http(body, hang=hang) as url:
        begun = time.monotonic()
        async with hub_over(odd=Remote(url)) as (_, servers):
            assert len(servers.problems) == 1 and "odd" in servers.problems[0]
        assert time.monotonic() - begun < 12


async def test_a_url_where_nobody_listens_is_told_at_once() -> None:
    async with hub_over(away=Remote("http://127.0.0.1:9/mcp")) as (_, servers):
        assert "away could not be reached" in servers.problems[0]


def lines_of(host: str, *, wait: float = 0.0, broken: bool = False) -> Target:
    server = governed.server("logs", "for tests")

    @governed.reads(server, view="lines", roles=("log",), timeout_seconds=1.0, retries=0)
    def logs_search() -> Lines:
        """One line of one host."""
        time.sleep(wait)
        if broken:
            raise OSError("disk on fire")
        return Lines((Line(f"{host}/app.log", 1, f"of {host}"),), Searched(f"{host}/app.log", matched=1, returned=1))

    return server


async def test_the_answers_of_several_hosts_to_one_call_become_one() -> None:
    async with hub_over(here=lines_of("here"), there=lines_of("there")) as (hub, _):
        result = await hub.call(LOG, "logs_search", {})
    assert result.status == "ok"
    assert [line["text"] for line in result.data["lines"]] == ["of here", "of there"]
    assert result.data["searched"]["source"] == "here/app.log, there/app.log"
    assert result.coverage is not None and result.coverage.matched == 2


async def test_one_host_that_is_broken_or_slow_is_a_problem_of_the_whole_answer() -> None:
    targets = {"here": lines_of("here"), "slow": lines_of("slow", wait=2.0), "broken": lines_of("broken", broken=True)}
    async with hub_over(**targets) as (hub, _):
        result = await hub.call(LOG, "logs_search", {})
    assert result.status == "ok", result.error
    assert [line["text"] for line in result.data["lines"]] == ["of here"]
    assert sorted(problem.partition(":")[0] for problem in result.data["searched"]["problems"]) == ["broken", "slow"]


async def test_closing_leaves_no_process_behind() -> None:
    async with hub_over(rogue=ROGUE) as (hub, _):
        result = await rogue(hub)
        pid = int(result.data["lines"][0]["text"].rpartition(" ")[2])
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
