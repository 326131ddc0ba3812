"""The hub over real in-memory MCP sessions."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import pytest
from mcp.server.mcpserver import MCPServer
from pydantic import Field

from analysis.secrets.redaction import Redactor
from domain.results import Line, Lines, Searched
from domain.tool import Caller
from mcp_servers import governed
from tools.call import Governance, Limits
from tools.hub import STAGES, Ask, Hub
from tools.ledger import Ledger
from tools.read_back import NAME, SPEC, ReadBack
from tools.registry import grants
from tools.servers import Servers

LOG = Caller("log")
SECRET = "AKIAIOSFODNN7EXAMPLE"


def lines_server(*texts: str, wait: float = 0.0) -> MCPServer:
    server = governed.server("logs", "lines that a test made")
    calls = iter(range(1000))

    @governed.reads(server, view="lines", roles=("log",), timeout_seconds=0.3 if wait else 20.0, retries=1)
    def logs_search(grep: str | None = None, tail_n: int = 50) -> Lines:
        """All lines, or those that hold a text."""
        if wait and next(calls) == 0:
            time.sleep(wait)
        found = [Line("logs/a.log", n, text) for n, text in enumerate(texts, 1) if not grep or grep in text]
        kept = found[-tail_n:]
        return Lines(
            tuple(kept), Searched("logs/a.log", "", f"grep={grep}", len(found), len(kept), len(kept) < len(found))
        )

    return server


@asynccontextmanager
async def hub_over(server: MCPServer, limits: Limits | None = None) -> AsyncIterator[Hub]:
    servers, ledger = Servers({"logs": server}), Ledger()
    try:
        registry = await servers.specs() | {NAME: SPEC}
        granted = grants({"log": ["logs_*", NAME], "metric": [NAME]}, registry)
        source = ReadBack(ledger, registry, servers)
        yield Hub(Governance(registry, granted, source, Redactor(b"key"), limits or Limits()), ledger)
    finally:
        await servers.close()


def test_the_stages_stand_in_the_order_of_the_design() -> None:
    names = [stage.__name__ for stage in STAGES]
    assert names == ["resolve", "authorize", "validate", "execute", "redact", "transform", "budget"]


async def test_a_million_characters_come_back_within_budget_with_head_tail_and_notice() -> None:
    rows = [f"row {n} " + "x" * 993 for n in range(1000)]
    async with hub_over(lines_server(*rows)) as hub:
        result = await hub.call(LOG, "logs_search", {"tail_n": 1000})
        assert len(result.text) <= 12_000
        assert result.truncated
        assert "row 0 " in result.text and "row 999 " in result.text and "row 500 " not in result.text
        assert "log.1" in result.text
        assert len(result.data["lines"]) == 1000
        middle = await hub.call(LOG, NAME, {"call_id": "log.1", "grep": "row 500 "})
        assert "row 500 x" in middle.text


async def test_with_budgets_off_the_whole_text_comes_back() -> None:
    rows = [f"row {n} " + "x" * 93 for n in range(1000)]
    async with hub_over(lines_server(*rows), Limits(budgets=False)) as hub:
        result = await hub.call(LOG, "logs_search", {"tail_n": 1000})
        assert len(result.text) > 90_000
        assert not result.truncated


async def test_with_views_off_a_model_sees_plain_json() -> None:
    async with hub_over(lines_server("one"), Limits(views=False)) as hub:
        assert '"searched"' in (await hub.call(LOG, "logs_search", {})).text
    async with hub_over(lines_server("one")) as hub:
        assert '"searched"' not in (await hub.call(LOG, "logs_search", {})).text


async def test_the_results_of_one_turn_share_a_second_budget_whatever_the_order_they_end_in() -> None:
    rows = [f"row {n} " + "x" * 93 for n in range(1000)]
    async with hub_over(lines_server(*rows), Limits(result_chars=3000, turn_results=2)) as hub:
        results = await hub.turn(LOG, [Ask("logs_search", {"tail_n": 500})] * 4)
        assert sum(len(result.text) for result in results) <= 6000
        assert [result.call_id for result in results] == ["log.1", "log.2", "log.3", "log.4"]


async def test_the_whole_agent_has_a_third_budget_and_still_gets_a_notice_when_it_is_spent() -> None:
    rows = ["x" * 100] * 100
    async with hub_over(lines_server(*rows), Limits(result_chars=5000, agent_chars=6000)) as hub:
        first = await hub.call(LOG, "logs_search", {})
        await hub.call(LOG, "logs_search", {})
        third = await hub.call(LOG, "logs_search", {})
        assert len(first.text) > 4000
        assert len(third.text) <= 400
        assert "log.3" in third.text


async def test_an_unknown_tool_and_an_ungranted_one_are_refused_with_what_may_be_used() -> None:
    async with hub_over(lines_server("one")) as hub:
        unknown = await hub.call(LOG, "logs_delete", {})
        foreign = await hub.call(Caller("metric"), "logs_search", {})
    assert (unknown.status, foreign.status) == ("denied", "denied")
    assert "logs_search" in unknown.error
    assert "logs_search" not in foreign.error.partition("its tools are")[2]


async def test_a_caller_without_the_scope_is_refused() -> None:
    async with hub_over(lines_server("one")) as hub:
        result = await hub.call(Caller("log", "webhook", frozenset()), "logs_search", {})
    assert result.status == "denied" and "scope" in result.error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "/etc"}, "path"),
        ({"tail_n": "many"}, "tail_n"),
        ({"grep": "(?=x)"}, "RE2"),
        ({"grep": "("}, "RE2"),
    ],
)
async def test_bad_arguments_are_refused_and_the_refusal_says_how_to_do_better(
    arguments: dict[str, object], said: str
) -> None:
    async with hub_over(lines_server("one")) as hub:
        result = await hub.call(LOG, "logs_search", arguments)
    assert result.status == "invalid"
    assert said in result.error


async def test_a_time_out_is_tried_again_and_the_second_answer_counts() -> None:
    async with hub_over(lines_server("one", wait=0.5)) as hub:
        result = await hub.call(LOG, "logs_search", {})
    assert result.status == "ok"


async def test_a_server_that_raises_becomes_an_unavailable_result_not_an_exception() -> None:
    server = governed.server("logs", "broken")

    @governed.reads(server, view="lines", roles=("log",), retries=0)
    def logs_search() -> Lines:
        """Always broken."""
        raise OSError("disk on fire")

    async with hub_over(server) as hub:
        result = await hub.call(LOG, "logs_search", {})
        assert result.status == "unavailable"
        assert hub.ledger.result("log.1") == result


async def test_secrets_leave_before_anything_is_kept_and_a_cut_cannot_bring_them_back() -> None:
    rows = ["x" * 90] * 60 + [f"key {SECRET} used"] + ["y" * 90] * 60
    async with hub_over(lines_server(*rows), Limits(result_chars=1000)) as hub:
        result = await hub.call(LOG, "logs_search", {"tail_n": 500})
        again = await hub.call(LOG, NAME, {"call_id": "log.1", "grep": "redacted"})
    assert result.redactions == 1
    assert SECRET not in str(result) and SECRET not in str(again)
    assert "[redacted:" in again.text


async def test_a_secret_in_a_question_is_redacted_in_the_record() -> None:
    async with hub_over(lines_server("one")) as hub:
        result = await hub.call(LOG, "logs_search", {"grep": SECRET})
        refused = await hub.call(LOG, "logs_search", {"grep": SECRET, "more": 1})
    assert SECRET not in str(result.arguments)
    assert SECRET not in str(refused)


async def test_no_match_is_no_data_and_says_what_was_searched() -> None:
    async with hub_over(lines_server("one")) as hub:
        result = await hub.call(LOG, "logs_search", {"grep": "absent"})
    assert result.status == "no_data"
    assert result.coverage is not None
    assert (result.coverage.source, result.coverage.matched) == ("logs/a.log", 0)


async def test_an_agent_reads_back_only_its_own_results() -> None:
    async with hub_over(lines_server("one")) as hub:
        await hub.call(LOG, "logs_search", {})
        result = await hub.call(Caller("metric"), NAME, {"call_id": "log.1"})
    assert result.status == "invalid"


async def test_a_tool_that_does_not_state_its_access_stops_the_start() -> None:
    server = MCPServer("logs")

    @server.tool()
    def logs_drop() -> str:
        """No facts."""
        return "x"

    with pytest.raises(Exception, match="does not state its access"):
        async with hub_over(server):
            pass


async def test_a_session_whose_owner_died_is_opened_anew() -> None:
    servers = Servers({"logs": lines_server("one")})
    session = servers._sessions["logs"]
    await session.tools()
    assert session._owner is not None
    session._owner.cancel()
    with pytest.raises(asyncio.CancelledError):
        await session._owner
    assert [tool.name for tool in await session.tools()] == ["logs_search"]
    await servers.close()


async def test_layer_one_off_opens_the_filters_that_were_left_to_their_defaults() -> None:
    server = governed.server("logs", "many")
    seen: list[int] = []

    @governed.reads(server, view="lines", roles=("log",))
    def logs_search(tail_n: Annotated[int, Field(ge=1, le=500)] = 50) -> Lines:
        """How many were asked for."""
        seen.append(tail_n)
        return Lines((), Searched("logs/a.log"))

    async with hub_over(server, Limits(source_filters=False)) as hub:
        await hub.call(LOG, "logs_search", {})
        await hub.call(LOG, "logs_search", {"tail_n": 7})
    assert seen == [500, 7]


async def test_a_fault_of_our_own_becomes_an_error_result_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = governed.server("logs", "a result that its view cannot show")

    @governed.reads(server, view="templates", roles=("log",))
    def logs_search() -> Lines:
        """Lines, though its view wants templates."""
        return Lines((), Searched("logs/a.log"))

    async with hub_over(server) as hub:
        result = await hub.call(LOG, "logs_search", {})
    assert result.status == "error"
    assert "KeyError" in result.error
    assert "failed inside the hub" in caplog.text
