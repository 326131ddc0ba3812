"""The network as an MCP server: probes, names, sockets, interfaces, routes, firewall, certificates."""

from typing import Protocol

from mcp.server.mcpserver import MCPServer

from domain.results import Facts
from mcp_servers.governed import reads, server


class NetworkSource(Protocol):
    """Where the state of the network comes from."""

    def probes(self) -> Facts:
        """All that was probed and seen of the network."""
        ...


def network(source: NetworkSource) -> MCPServer:
    """The server over one source."""
    mcp = server("network", "What can be reached, resolved and trusted, and how the network is set up.")

    @reads(mcp, view="facts", roles=("infra",))
    def network_probes() -> Facts:
        """What can be reached and resolved: TCP, HTTP, ping and DNS probes with their errors, listening sockets,
        interfaces and MTU, routes, firewall rules, certificates and their dates, container networks."""
        return source.probes()

    return mcp
