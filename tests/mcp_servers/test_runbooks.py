"""The runbook server through a real MCP session."""

from collections.abc import Sequence
from typing import Any

import pytest
from mcp import Client

from domain.codec import from_plain
from domain.results import Page, Passage, Passages, Searched
from mcp_servers.runbooks import runbooks

FOUND = Passages((Passage("disk-full", "disk.full", "h", "t", 1.0, "alert_name"),), True, Searched("index"))


class Recorder:
    """A search and a reader that keep what they were asked."""

    asked: tuple[Any, ...] = ()

    async def search(self, query: str, alerts: Sequence[str], url: str, faults: Sequence[str], top: int) -> Passages:
        self.asked = (query, alerts, url, faults, top)
        return FOUND

    def read(self, name: str, page: int) -> Page:
        return Page(name, page, 3, "text", Searched(name))


async def call(tool: str, arguments: dict[str, Any], source: Recorder | None = None) -> Any:
    source = source or Recorder()
    async with Client(runbooks(source.search, source.read)) as client:
        return await client.call_tool(tool, arguments)


async def test_a_search_hands_everything_on_and_returns_typed_passages():
    source = Recorder()
    arguments = {"query": "full", "alerts": ["A"], "url": "http://x/disk-full", "faults": ["disk.full"], "top": 3}
    result = await call("runbooks_search", arguments, source)
    assert source.asked == ("full", ["A"], "http://x/disk-full", ["disk.full"], 3)
    assert from_plain(Passages, result.structured_content) == FOUND


async def test_a_search_needs_no_argument():
    source = Recorder()
    await call("runbooks_search", {}, source)
    assert source.asked == ("", [], "", [], 5)


async def test_a_page_is_read_by_logical_id():
    result = await call("runbooks_read", {"name": "disk-full/queries", "page": 2})
    page = from_plain(Page, result.structured_content)
    assert (page.runbook, page.page) == ("disk-full/queries", 2)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "https://example.org/x", "a/b/c", "a/../b", ""])
async def test_a_path_or_a_link_is_no_id(name):
    assert (await call("runbooks_read", {"name": name})).is_error


@pytest.mark.parametrize("arguments", [{"top": 0}, {"top": 21}, {"query": "x" * 2001}, {"alerts": ["a"] * 51}])
async def test_what_is_out_of_bounds_is_refused(arguments):
    assert (await call("runbooks_search", arguments)).is_error


async def test_the_tools_state_that_they_only_read_and_whom_they_serve():
    async with Client(runbooks(Recorder().search, Recorder().read)) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["runbooks_search", "runbooks_read"]
    for tool in tools:
        assert tool.annotations and tool.annotations.read_only_hint
        assert tool.meta and "runbook" in tool.meta["fishbone"]["roles"]
