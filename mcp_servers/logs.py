"""Text sources as an MCP server: logs, and the captured output of commands."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from analysis.patterns import BadPattern, compiled
from domain.results import Lines, Searched, SignatureHits, Templates, TextSource, TextSources
from mcp_servers import log_templates
from mcp_servers.governed import reads, server
from mcp_servers.log_match import Span, Wanted, match
from mcp_servers.log_search import Filter, search
from mcp_servers.log_source import LogsSource, chosen
from mcp_servers.log_table import Table, Tables

ROLES = ("log", "infra")
Sources = Annotated[
    list[Annotated[str, Field(max_length=400)]] | None,
    Field(description="Globs on names of sources, such as logs/web* or dmesg.txt; none means all.", max_length=100),
]
Time = Annotated[str | None, Field(description="RFC 3339 with a zone, such as 2026-08-18T10:22:00Z.", max_length=40)]
Moment = Annotated[str, Field(description="RFC 3339 with a zone, such as 2026-08-18T10:22:00Z.", max_length=40)]
Level = Annotated[
    Literal["debug", "info", "warning", "error", "fatal"] | None,
    Field(description="This level or worse; a line that states none counts as info."),
]
Top = Annotated[int, Field(description="How many templates to return.", ge=1, le=500)]


class SignatureArgument(BaseModel):
    """One thing to look for."""

    id: Annotated[str, Field(max_length=200)]
    pattern: Annotated[str, Field(description="RE2, may have named captures.", min_length=1, max_length=4000)]
    sources: Annotated[str, Field(description="Globs with commas between; empty: all.", max_length=400)] = ""


def logs(source: LogsSource) -> MCPServer:
    """The server over one source of texts."""
    said = "Logs and captured command output of the incident. Nothing after the window's end is shown."
    of = server("logs", said, source.leave)
    tables = Tables(source)

    @reads(of, view="text_sources", roles=ROLES)
    def logs_list() -> TextSources:
        """Which logs and captures exist, with their size, number of lines, time span and levels. Ask this first."""
        found = tuple(_text_source(source, table) for table in tables.of(source.names()))
        problems = (*(problem for each in tables.of(source.names()) for problem in each.problems), *source.problems())
        return TextSources(found, Searched("all", matched=len(found), returned=len(found), problems=problems))

    @reads(of, view="lines", roles=ROLES)
    def logs_search(
        sources: Sources = None,
        grep: Annotated[
            str | None, Field(description="RE2 on each line; start with (?i) to ignore case.", max_length=1000)
        ] = None,
        tail_n: Annotated[int, Field(description="The last so many lines that pass.", ge=1, le=500)] = 50,
        since: Time = None,
        until: Time = None,
        level: Level = None,
    ) -> Lines:
        """Lines by pattern, time or level, or the last lines of a source. Use it to read what surrounds an onset,
        or what a process said before it went silent."""
        names, problems = chosen(source, sources)
        _check_pattern(grep)
        found = search(source, names, Filter(grep, tail_n, _span(since, until), level))
        return Lines(found.lines, _with(found.searched, problems))

    @reads(of, view="signature_hits", roles=ROLES, timeout_seconds=60)
    def logs_match(
        signatures: Annotated[
            list[SignatureArgument],
            Field(min_length=1, max_length=2000, description="What to look for, each with an id of yours and an RE2."),
        ],
        sources: Sources = None,
        since: Time = None,
        until: Time = None,
    ) -> SignatureHits:
        """Many known patterns at once over all sources: how often each is there, since when, with what captured.
        Use it to ask whether any known kind of fault left its mark. Hits in text that a stranger wrote do not count."""
        names, problems = chosen(source, sources)
        wanted = [Wanted(each.id, each.pattern, each.sources) for each in signatures]
        found = match(source, names, wanted, _span(since, until))
        return SignatureHits(found.hits, _with(found.searched, problems))

    @reads(of, view="templates", roles=ROLES, timeout_seconds=60)
    def logs_templates(
        sources: Sources = None, since: Time = None, until: Time = None, level: Level = None, top: Top = 30
    ) -> Templates:
        """What the logs say in a few lines: one template for all lines of one shape, with counts and times, the worst
        level first. Use it to get an overview of a source, or of all errors."""
        names, problems = chosen(source, sources)
        span = _span(since, until)
        found = log_templates.templates(tables.of(names), span, level, top)
        more = (*problems, *source.problems())
        return log_templates.result(found, names, str(span), f"level={level}" if level else "", more)

    @reads(of, view="templates", roles=ROLES, timeout_seconds=60)
    def logs_novel(moment: Moment, sources: Sources = None, top: Top = 30) -> Templates:
        """What the logs began to say, say far more often, or no longer say since shortly before the moment. Use it with
        the time an alert fired: what was already there long before did not cause it."""
        names, problems = chosen(source, sources)
        at = _time(moment)
        found = log_templates.novel(tables.of(names), at, top)
        return log_templates.result(found, names, f"around {moment}", "", (*problems, *source.problems()))

    return of


def _check_pattern(grep: str | None) -> None:
    """Raises ToolError, which the caller is told, when the pattern is no RE2."""
    try:
        compiled(grep or "")
    except BadPattern as exc:
        raise ToolError(f"{exc}; RE2 has no lookaround and no back-references") from exc


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as exc:
        raise ToolError(f"{text[:40]!r} is no time; write RFC 3339, such as 2026-08-18T10:22:00Z") from exc


def _span(since: str | None, until: str | None) -> Span:
    return Span(_time(since) if since else None, _time(until) if until else None)


def _text_source(source: LogsSource, table: Table) -> TextSource:
    kind = "log" if table.name.startswith("logs/") or not table.name.startswith("artifacts/") else "artifact"
    return TextSource(
        name=table.name, entity="", kind=kind, bytes=source.size(table.name), lines=table.lines, first=table.first,
        last=table.last, levels=table.levels(), problem="; ".join(table.problems),
    )  # fmt: skip


def _with(searched: Searched, problems: tuple[str, ...]) -> Searched:
    return Searched(
        searched.source, searched.window, searched.filter, searched.matched, searched.returned, searched.truncated,
        searched.after_window, (*searched.problems, *problems),
    )  # fmt: skip
