"""Changes as an MCP server: what somebody changed before the trouble, and what exactly."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from analysis.changes import before, reach
from domain.entity import KINDS, kind_of, name_of
from domain.results import Change, Changes, Edge, Line, Lines, Searched
from mcp_servers.governed import reads, server


@dataclass(frozen=True)
class Changed:
    """What a source has."""

    changes: tuple[Change, ...]  # up to now
    edges: tuple[Edge, ...]  # to tell which of them the symptom needs
    source: str
    after_window: int = 0  # changes later than now, withheld
    problems: tuple[str, ...] = ()


class ChangesSource(Protocol):
    """Where changes come from."""

    def changed(self) -> Changed:
        """All changes up to now."""
        ...

    def diff(self, change: Change) -> tuple[str, str]:
        """The source and text of a change's diff; an empty text where there is none."""
        ...


def changes(source: ChangesSource) -> MCPServer:
    """The server over one source."""
    mcp = server("changes", "Deploys, commits, flags, settings, scaling and restarts.")

    @reads(mcp, view="changes", roles=("infra",))
    def changes_before(
        moment: Annotated[datetime, Field(description="RFC 3339; usually the onset, or when the alert fired")],
        minutes: Annotated[int, Field(ge=1, le=43_200, description="how far to look back")] = 1440,
        symptom: Annotated[str, Field(description="the entity that suffers; tells which changes can reach it")] = "",
    ) -> Changes:
        """What was changed before a moment, the latest first. That one was the latest does not make it guilty."""
        changed = source.changed()
        at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        found = before(changed.changes, at, minutes)
        suffers = name_of(symptom) if kind_of(symptom) in KINDS else symptom
        if suffers:
            found = reach(found, suffers, changed.edges)
        window = f"{minutes} minutes before {at.isoformat()}"
        searched = Searched(
            changed.source, window, "", len(found), len(found), False, changed.after_window, changed.problems
        )
        return Changes(tuple(found), searched)

    @reads(mcp, view="lines", roles=("infra",))
    def changes_diff(
        change: Annotated[str, Field(description="id of a change, or of the commit that a deploy carried")],
        max_chars: Annotated[int, Field(ge=100, le=100_000, description="how much of it; the rest is cut off")] = 8000,
    ) -> Lines:
        """The diff of one change: what it touches. Read it before you blame a change."""
        changed = source.changed()
        found = next((one for one in changed.changes if change in (one.id, one.commit) and one.diff), None)
        if found is None:
            return Lines((), Searched(changed.source, filter=change, problems=(f"no diff is known of {change}",)))
        return _lines(*source.diff(found), Searched(changed.source, filter=change), max_chars)

    return mcp


def _lines(source: str, text: str, searched: Searched, max_chars: int) -> Lines:
    every = text.splitlines()
    kept, used = [], 0
    for number, line in enumerate(every, 1):
        used += len(line) + 1
        if used > max_chars:
            break
        kept.append(Line(source, number, line))
    return Lines(
        tuple(kept), replace(searched, matched=len(every), returned=len(kept), truncated=len(kept) < len(every))
    )
