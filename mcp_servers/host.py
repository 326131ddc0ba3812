"""The machine and the servers on it as an MCP server: what was captured of them."""

from typing import Annotated, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from domain.results import Facts
from mcp_servers.governed import reads, server


class HostSource(Protocol):
    """Where the state of the machine comes from."""

    def snapshot(self, kinds: list[str] | None) -> Facts:
        """Facts of the machine and of the servers on it, of these kinds or of all."""
        ...


def host(source: HostSource) -> MCPServer:
    """The server over one source."""
    mcp = server("host", "File systems, memory, load, processes, limits, kernel messages, settings, sessions, queues.")

    @reads(mcp, view="facts", roles=("infra",))
    def host_snapshot(
        kinds: Annotated[
            list[str] | None,
            Field(
                description="Kinds such as filesystem, memory, process, kernel, setting, session; all without it.",
                max_length=40,
            ),
        ] = None,
    ) -> Facts:
        """What the machine and the servers on it look like: space, memory, load, processes, limits, kernel messages,
        settings, packages, database sessions and slots, queues, and what other commands printed."""
        return source.snapshot(kinds)

    return mcp
