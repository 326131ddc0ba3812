"""The runbooks as an MCP server: find the one that answers an alert or a hypothesis, and read it page by page."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from domain.results import Page, Passages
from mcp_servers.governed import reads, server

_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)?$"

Query = Annotated[str, Field(max_length=2000, description="What is wrong, in words: title, summary, key findings")]
Alerts = Annotated[list[str] | None, Field(max_length=50, description="Names of the alerts, as their rules call them")]
Url = Annotated[str, Field(max_length=2000, description="The alert's runbook_url; only its last part is looked at")]
Faults = Annotated[
    list[str] | None,
    Field(max_length=20, description="Faults of hypotheses, such as disk.full; their runbooks come first"),
]
Top = Annotated[int, Field(ge=1, le=20, description="Passages at most, one for each runbook")]
Name = Annotated[
    str,
    Field(max_length=200, pattern=_ID, description="Name of a runbook, or <runbook>/<reference> for longer material"),
]
PageNumber = Annotated[int, Field(ge=1, le=1000, description="Page, from 1")]


class Search(Protocol):
    """Finds passages: `rag.search.RunbookIndex.search`."""

    def __call__(self, query: str, alerts: list[str], url: str, faults: list[str], top: int) -> Awaitable[Passages]: ...


Read = Callable[[str, int], Page]


def runbooks(search: Search, read: Read) -> MCPServer:
    """The server over one index."""
    mcp = server("runbooks", "Runbooks (SOPs): what a fault means, how to tell it from its look-alikes, what to do.")

    @reads(mcp, view="passages", roles=("runbook", "root_cause"))
    async def runbooks_search(
        query: Query = "", alerts: Alerts = None, url: Url = "", faults: Faults = None, top: Top = 5
    ) -> Passages:
        """Find the runbooks that answer an alert or a hypothesis, the best first. Ask it first, by the alert's name;
        ask again with the faults you suspect. `fits` is false when none answers: then do not force one."""
        return await search(query, alerts or [], url, faults or [], top)

    @reads(mcp, view="page", roles=("runbook", "root_cause"))
    def runbooks_read(name: Name, page: PageNumber = 1) -> Page:
        """Read a runbook that a search found, page by page: diagnosis, mitigation, and the names of its references."""
        return read(name, page)

    return mcp
