"""The topology as an MCP server: who calls whom, and what runs where."""

from typing import Protocol

from mcp.server.mcpserver import MCPServer

from domain.results import Topology
from mcp_servers.governed import reads, server


class TopologySource(Protocol):
    """Where the topology comes from."""

    def topology(self) -> Topology:
        """All edges, and what runs where."""
        ...


def topology(source: TopologySource) -> MCPServer:
    """The server over one source."""
    mcp = server("topology", "Dependencies between services, and the nodes they run on.")

    @reads(mcp, view="topology", roles=("metric", "infra"))
    def topology_edges() -> Topology:
        """Who calls whom, and what runs where. Ask it to tell a cause from those who only depend on it."""
        return source.topology()

    return mcp
