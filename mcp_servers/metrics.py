"""Metrics as an MCP server: which series there are, and how each changed at a moment."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Protocol

import numpy as np
from mcp.server.mcpserver import MCPServer
from pydantic import Field

from analysis.lines.timestamps import format_time
from analysis.measured.series import Samples
from analysis.measured.summaries import most_anomalous
from domain.entity import KINDS, kind_of, name_of
from domain.results import Searched, SeriesInfo, SeriesList, SeriesPoints, SeriesSummaries
from mcp_servers.governed import reads, server

Moment = Annotated[
    datetime, Field(description="RFC 3339; before and after it are compared. Usually when the alert fired")
]
Entity = Annotated[str, Field(description="an entity's name, whole or in part; empty: all", max_length=200)]
Metric = Annotated[str, Field(description="a metric's name, whole or in part; empty: all", max_length=200)]
Top = Annotated[int, Field(ge=1, le=500, description="how many series at most, the most anomalous first")]
MOST_LISTED: Final = 2000


@dataclass(frozen=True)
class Gathered:
    """What a source has."""

    series: tuple[Samples, ...]  # by entity, then metric
    source: str
    after_window: int = 0  # rows later than now, withheld
    problems: tuple[str, ...] = ()


class MetricsSource(Protocol):
    """Where series come from."""

    def gather(self, entity: str = "", metric: str = "") -> Gathered:
        """All series up to now; a source too large for that gives those of the entity and metric."""
        ...


def _bare(entity: str) -> str:
    return name_of(entity) if kind_of(entity) in KINDS else entity


def _selected(gathered: Gathered, entity: str, metric: str) -> list[Samples]:
    """The series of an entity and metric: by the whole name where one has it, else by a part of it."""
    kept = list(gathered.series)
    if wanted := _bare(entity):
        kept = _named(kept, [one.entity for one in kept], wanted)
    if metric:
        kept = _named(kept, [one.metric for one in kept], metric)
    return kept


def _named(series: list[Samples], names: list[str], wanted: str) -> list[Samples]:
    exact = [one for one, name in zip(series, names, strict=True) if name == wanted]
    part = wanted.casefold()
    return exact or [one for one, name in zip(series, names, strict=True) if part in name.casefold()]


def _searched(gathered: Gathered, wanted: dict[str, str], matched: int, returned: int, window: str = "") -> Searched:
    asked = " ".join(f"{name}={value}" for name, value in wanted.items() if value)
    return Searched(
        gathered.source, window, asked, matched, returned, returned < matched, gathered.after_window, gathered.problems
    )


def metrics(source: MetricsSource) -> MCPServer:
    """The server over one source."""
    mcp = server("metrics", "Time series of services, containers, hosts and databases.")

    @reads(mcp, view="series_list", roles=("metric",))
    def metrics_list(entity: Entity = "", metric: Metric = "") -> SeriesList:
        """Which series exist. Ask first when you do not know what a thing's metrics are called."""
        gathered = source.gather(_bare(entity), metric)
        found = _selected(gathered, entity, metric)
        listed = tuple(SeriesInfo(one.entity, one.metric, len(one.times)) for one in found[:MOST_LISTED])
        return SeriesList(listed, _searched(gathered, {"entity": entity, "metric": metric}, len(found), len(listed)))

    @reads(mcp, view="series", roles=("metric",))
    def metrics_summary(moment: Moment, entity: Entity = "", metric: Metric = "", top: Top = 40) -> SeriesSummaries:
        """How the series of one entity or metric look: min, mean, max, last, and the change at a moment."""
        return _summaries(source.gather(_bare(entity), metric), moment, {"entity": entity, "metric": metric}, top)

    @reads(mcp, view="series", roles=("metric",))
    def metrics_anomalies(moment: Moment, top: Top = 40) -> SeriesSummaries:
        """Which series of all changed most at a moment, against the minutes just before and against long history."""
        return _summaries(source.gather(), moment, {}, top)

    @reads(mcp, view="points", roles=("metric", "report"))
    def metrics_range(
        entity: Entity,
        metric: Metric,
        since: Annotated[datetime | None, Field(description="From then on, RFC 3339.")] = None,
        until: Annotated[datetime | None, Field(description="Up to then, RFC 3339.")] = None,
        max_points: Annotated[int, Field(ge=2, le=2000, description="thinned evenly beyond this")] = 200,
    ) -> SeriesPoints:
        """The points of one series, for a chart or to see its shape. Times are RFC 3339."""
        gathered = source.gather(_bare(entity), metric)
        found = _selected(gathered, entity, metric)
        window = f"{since.isoformat() if since else ''}..{until.isoformat() if until else ''}"
        asked = {"entity": entity, "metric": metric}
        if not found:
            return SeriesPoints(entity, metric, (), _searched(gathered, asked, 0, 0, window))
        points, matched = _points(found[0], since, until, max_points)
        return SeriesPoints(
            found[0].entity, found[0].metric, points, _searched(gathered, asked, matched, len(points), window)
        )

    return mcp


def _summaries(gathered: Gathered, moment: datetime, wanted: dict[str, str], top: int) -> SeriesSummaries:
    chosen = _selected(gathered, wanted.get("entity", ""), wanted.get("metric", ""))
    kept = tuple(most_anomalous(chosen, _aware(moment).timestamp(), top))
    matched = sum(len(one.values) > 0 for one in chosen)
    return SeriesSummaries(kept, _searched(gathered, wanted, matched, len(kept), f"around {moment.isoformat()}"))


def _aware(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _points(
    samples: Samples, since: datetime | None, until: datetime | None, most: int
) -> tuple[tuple[tuple[str, float], ...], int]:
    kept = np.ones(len(samples.times), dtype=bool)
    if since:
        kept &= samples.times >= _aware(since).timestamp()
    if until:
        kept &= samples.times <= _aware(until).timestamp()
    inside = np.flatnonzero(kept)
    matched = len(inside)
    if matched > most:
        inside = inside[np.linspace(0, matched - 1, most).round().astype(int)]
    return tuple(
        (format_time(datetime.fromtimestamp(samples.times[at], UTC)), float(samples.values[at])) for at in inside
    ), matched
