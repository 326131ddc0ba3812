"""The network as an MCP server: probes, names, sockets, interfaces, routes, firewall, certificates."""

from typing import Annotated, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from domain.results import Facts
from mcp_servers.governed import reads, server


class NetworkSource(Protocol):
    """Where the state of the network comes from."""

    def probes(self, targets: list[str] | None = None) -> Facts:
        """All that was probed and seen of the network; of these targets too, or of these among what was recorded."""
        ...


def network(source: NetworkSource) -> MCPServer:
    """The server over one source."""
    mcp = server("network", "What can be reached, resolved and trusted, and how the network is set up.")

    @reads(mcp, view="facts", roles=("infra",))
    def network_probes(
        targets: Annotated[
            list[Annotated[str, Field(max_length=300)]] | None,
            Field(
                description="Targets to probe besides, such as db:5432, https://api/health, tls:api:443, dns:db; "
                "live only those that the settings allow.",
                max_length=20,
            ),
        ] = None,
    ) -> Facts:
        """What can be reached and resolved: TCP, HTTP, ping and DNS probes with their errors, listening sockets,
        interfaces and MTU, routes, firewall rules, certificates and their dates, container networks."""
        return source.probes(targets)

    return mcp
