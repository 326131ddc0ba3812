"""Sessions with MCP servers. Each has an owner task, since a session may only be left by the task that entered it."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from domain.codec import Json
from domain.errors import ToolNotFound, ToolUnavailable
from domain.tool import Access, ToolSpec
from tools.call import Passing

META = "fishbone"  # the key under which mcp_servers.governed keeps a tool's facts
Target = MCPServer | StdioServerParameters | str


class Session:
    """One server's session. A session that broke is opened anew by the next call."""

    def __init__(self, name: str, target: Target) -> None:
        self.name = name
        self._target = target
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._opening = asyncio.Lock()

    async def client(self) -> Client:
        """The open client. Raises ToolUnavailable."""
        async with self._opening:
            if self._client is None or self._owner is None or self._owner.done():
                await self._open()
            if self._client is None:
                raise ToolUnavailable(f"the server {self.name} does not answer")
            return self._client

    async def _open(self) -> None:
        self._client, self._leave = None, asyncio.Event()
        ready = asyncio.Event()
        self._owner = asyncio.create_task(self._own(ready, self._leave), name=f"mcp-{self.name}")
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({waiting, self._owner}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not ready.is_set():
            reason = None if self._owner.cancelled() else self._owner.exception()
            raise ToolUnavailable(f"the server {self.name} could not be reached: {reason}") from reason

    async def _own(self, ready: asyncio.Event, leave: asyncio.Event) -> None:
        async with Client(self._target) as client:
            self._client = client
            ready.set()
            await leave.wait()

    async def tools(self) -> list[Tool]:
        """What the server offers."""
        client = await self.client()
        offered = list((await client.list_tools()).tools)
        if isinstance(self._target, MCPServer):
            # Our own server has just made the result of the very type that the schema is of; to check that once more
            # with a JSON Schema took more time than all else in a replay. Others are checked.
            client.session._tool_output_schemas.update(dict.fromkeys((tool.name for tool in offered), None))
        return offered

    async def call(self, tool: str, arguments: dict[str, Json]) -> CallToolResult:
        """Call a tool, racing the session's death. Raises ToolUnavailable."""
        client, owner = await self.client(), self._owner
        asking = asyncio.create_task(client.call_tool(tool, arguments))
        try:
            await asyncio.wait({asking, owner} if owner else {asking}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise ToolUnavailable(f"the server {self.name} went away during the call")
            return asking.result()
        except (MCPError, RuntimeError) as exc:  # RuntimeError: a result that breaks the server's own schema
            raise ToolUnavailable(f"{self.name}: {exc}") from exc
        finally:
            asking.cancel()

    async def close(self) -> None:
        """Leave the session."""
        self._leave.set()
        if self._owner is not None:
            with contextlib.suppress(asyncio.CancelledError, MCPError, RuntimeError, OSError):
                await self._owner


class Servers:
    """All sessions of one investigation; the live source of the hub."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self._sessions = {name: Session(name, target) for name, target in targets.items()}

    async def specs(self) -> dict[str, ToolSpec]:
        """Every tool of every server, by name. Raises ToolUnavailable."""
        offered = await asyncio.gather(*(session.tools() for session in self._sessions.values()))
        pairs = zip(self._sessions, offered, strict=True)
        return {tool.name: spec_of(name, tool) for name, tools in pairs for tool in tools}

    async def answer(self, call: Passing) -> Json:
        """Ask the server that owns the tool."""
        result = await self._sessions[call.known.server].call(call.tool, call.arguments)
        if result.is_error:
            raise ToolUnavailable(f"{call.tool}: {_text(result.content)}")
        return result.structured_content

    async def close(self) -> None:
        """Leave all sessions."""
        for session in reversed(list(self._sessions.values())):
            await session.close()


def spec_of(server: str, tool: Tool) -> ToolSpec:
    """The registry's entry for a tool of our own. Raises ToolNotFound when it does not state its facts."""
    facts: dict[str, Any] | None = (tool.meta or {}).get(META)
    if facts is None:
        raise ToolNotFound(f"the tool {tool.name} of {server} does not state its access; it cannot be used")
    return ToolSpec(
        tool.name, server, tool.description or "", tool.input_schema, Access(facts["access"]), facts["risk"],
        float(facts["timeout_seconds"]), int(facts["retries"]), int(facts["budget_chars"]), tuple(facts["roles"]),
        facts["view"], facts.get("version", "1"),
    )  # fmt: skip


def _text(content: Sequence[object]) -> str:
    return " ".join(part.text for part in content if isinstance(part, TextContent))[:300]
