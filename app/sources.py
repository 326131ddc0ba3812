"""Our own servers over a recorded incident, by name."""

from collections.abc import Awaitable, Callable
from typing import Final

from mcp.server.mcpserver import MCPServer

from bundle.bundle import Bundle
from domain.results import Page, Passages
from mcp_servers.changes import changes
from mcp_servers.containers import containers
from mcp_servers.host import host
from mcp_servers.logs import logs
from mcp_servers.metrics import metrics
from mcp_servers.network import network
from mcp_servers.recorded.changes import RecordedChanges
from mcp_servers.recorded.containers import RecordedContainers
from mcp_servers.recorded.host import RecordedHost
from mcp_servers.recorded.logs import RecordedLogs
from mcp_servers.recorded.metrics import RecordedMetrics
from mcp_servers.recorded.network import RecordedNetwork
from mcp_servers.recorded.topology import RecordedTopology
from mcp_servers.recorded.traces import RecordedTraces
from mcp_servers.runbooks import runbooks
from mcp_servers.topology import topology
from mcp_servers.traces import traces

Search = Callable[..., Awaitable[Passages]]
Read = Callable[..., Page]
RUNBOOKS: Final = "runbooks"


def recorded_servers(bundle: Bundle, search: Search, read: Read) -> dict[str, MCPServer]:
    """One server for each kind of evidence in the bundle, and the runbooks."""
    return evidence_servers(bundle) | {RUNBOOKS: runbooks(search, read)}


def evidence_servers(bundle: Bundle) -> dict[str, MCPServer]:
    """The servers over a bundle's evidence files."""
    return {
        "logs": logs(RecordedLogs(bundle)),
        "metrics": metrics(RecordedMetrics(bundle)),
        "traces": traces(RecordedTraces(bundle)),
        "topology": topology(RecordedTopology(bundle)),
        "containers": containers(RecordedContainers(bundle)),
        "host": host(RecordedHost(bundle)),
        "network": network(RecordedNetwork(bundle)),
        "changes": changes(RecordedChanges(bundle)),
    }
