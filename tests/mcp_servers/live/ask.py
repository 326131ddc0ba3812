"""One call of a live tool over a real in-memory session."""

from typing import Any, TypeVar

from mcp import Client
from mcp.server.mcpserver import MCPServer

from domain.codec import from_plain

T = TypeVar("T")


async def ask(server: MCPServer, of: type[T], tool: str, **arguments: Any) -> T:
    """The typed answer."""
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return from_plain(of, result.structured_content)
