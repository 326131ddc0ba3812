"""The decorator every tool of our own stands under: what it may do, and what the hub must know of it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import CodeType
from typing import Any, Final, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

META: Final = "fishbone"
F = TypeVar("F", bound=Callable[..., Any])
# A tool's schemas hang on its code alone. Working them out costs some 10 ms a tool, and every investigation builds its
# servers anew over its own sources.
_KNOWN: Final[dict[CodeType, Tool]] = {}


def server(name: str, instructions: str, leave: Callable[[], None] | None = None) -> MCPServer:
    """A server of our own, with our version; `leave` is called when a session ends."""

    @asynccontextmanager
    async def session(_: MCPServer) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if leave is not None:
                leave()

    return MCPServer(name=name, instructions=instructions, version="1", log_level="WARNING", lifespan=session)


def reads(
    of: MCPServer,
    *,
    view: str,
    roles: tuple[str, ...],
    timeout_seconds: float = 20.0,
    retries: int = 1,
    budget_chars: int = 12_000,
) -> Callable[[F], F]:
    """Register a read-only tool. Its name is the function's name, its description the docstring.

    `view` names the hub's view of the result; `roles` the agents it is meant for.
    """
    meta = {
        "access": "read", "risk": "low", "view": view, "roles": list(roles), "timeout_seconds": timeout_seconds,
        "retries": retries, "budget_chars": budget_chars,
    }  # fmt: skip
    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    register = of.tool(annotations=hints, meta={META: meta}, structured_output=True)

    def add(function: F) -> F:
        tools = of._tool_manager._tools  # no public way registers a tool whose schemas are known already
        if (known := _KNOWN.get(function.__code__)) is not None:
            tools[known.name] = known.model_copy(update={"fn": function})
            return function
        register(function)
        _KNOWN[function.__code__] = tools[function.__name__]
        return function

    return add
