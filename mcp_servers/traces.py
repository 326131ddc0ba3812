"""Traces as an MCP server: which calls became slow, failing, delayed by the network, or are no longer made."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from analysis.measured.span_events import Events
from analysis.measured.spans import Spans
from analysis.measured.trace_edges import trace_edges
from domain.results import Searched, TraceEdges
from mcp_servers.governed import reads, server


@dataclass(frozen=True)
class Traced:
    """What a source has."""

    spans: Spans
    source: str
    after_window: int = 0  # spans that start later than now, withheld
    problems: tuple[str, ...] = ()
    events: Events = field(default_factory=dict)  # what logs say of the spans, by row


class TracesSource(Protocol):
    """Where spans come from."""

    def trace(self) -> Traced:
        """All spans up to now."""
        ...


def traces(source: TracesSource) -> MCPServer:
    """The server over one source."""
    mcp = server("traces", "Distributed traces: calls between services, before and after a moment.")

    @reads(mcp, view="trace_edges", roles=("metric",))
    def traces_edges(
        moment: Annotated[datetime, Field(description="RFC 3339; calls before and after it are compared")],
        top: Annotated[int, Field(ge=1, le=500, description="how many edges at most, the worst first")] = 40,
    ) -> TraceEdges:
        """Which calls between services became slow, failing, delayed by the network between, or stopped."""
        traced = source.trace()
        at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        found = trace_edges(traced.spans, at.timestamp(), traced.events)
        kept = tuple(found[:top])
        orphans = int(traced.spans.orphan.sum()) if len(traced.spans) else 0
        lost = (f"{orphans} spans name a parent that was not recorded",) if orphans else ()
        searched = Searched(
            traced.source, f"around {at.isoformat()}", "", len(found), len(kept), len(kept) < len(found),
            traced.after_window, (*traced.problems, *lost),
        )  # fmt: skip
        return TraceEdges(kept, searched)

    return mcp
