"""Live traces: there is no trace store behind this version; a foreign MCP server may bring one."""

from analysis.measured.spans import columns
from mcp_servers.traces import Traced


class LiveTraces:
    """Has no spans, and says so."""

    def trace(self) -> Traced:
        """No spans."""
        return Traced(columns([]), "no trace store: traces are read from recorded incidents only")
