"""`fishbone incidents` and `fishbone report`: what was investigated, from the store."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from rich.markup import escape
from rich.table import Column, Table

from app.bootstrap import open_database
from app.cli.screen import output
from app.settings import load_settings
from domain.errors import BadConfiguration
from report.document import dump
from store import incidents, investigations, jobs, reports

T = TypeVar("T")


def run_list() -> None:
    """One line an incident, the latest first."""
    found, aside = asyncio.run(_asked(_listed))
    # ids are there to be copied: they stay whole, whatever must give way
    widest = max(
        (len(each) for each in (*(head.incident_id for head in found), *(one for one, _, _ in aside))), default=0
    )
    table = Table(
        Column("incident", min_width=widest, overflow="fold"),
        "version",
        "verdict",
        "sure",
        "root cause",
        "fault",
        "symptom",
        box=None,
    )
    for head in found:
        sure = "" if head.confidence is None else f"{head.confidence:.0%}"
        cause = (head.verdict or "", sure, head.entity or "", head.fault or "")
        table.add_row(*map(escape, (head.incident_id, str(head.version), *cause, head.title)))
    for incident, title, crashes in aside:
        aside_because = f"set aside after {crashes} crashed workers"
        table.add_row(*map(escape, (incident, "", "failed", "", aside_because, "", title)))
    nothing = "No incident was investigated yet. Try: fishbone replay BUNDLE"
    output().print(table if found or aside else nothing)


def run_show(incident: str) -> None:
    """One incident with its alerts and its investigations."""
    stored = asyncio.run(_asked(lambda connection: incidents.get(connection, incident)))
    if stored is None:
        raise _unknown(incident)
    runs = asyncio.run(_asked(lambda connection: investigations.of_incident(connection, incident)))
    told = output()
    told.print(f"{stored.incident.id}: {stored.incident.title}", markup=False)
    told.print(f"fired at {stored.incident.fired_at:%Y-%m-%d %H:%M:%S} UTC, {stored.status}", markup=False)
    for alert in stored.incident.alerts:
        told.print(f"alert {alert.name} ({alert.severity}, {alert.status.value}) from {alert.source}", markup=False)
    for run in runs:
        sure = "" if run.confidence is None else f", {run.confidence:.0%} sure"
        cause = f": {run.fault} of {run.entity}{sure}" if run.entity else ""
        told.print(f"version {run.version}: {run.verdict or run.status}{cause} ({run.id})", markup=False)


def run_report(incident: str, *, as_json: bool) -> None:
    """The latest report, whole."""
    stored = asyncio.run(_asked(lambda connection: reports.latest(connection, incident)))
    if stored is None:
        raise _unknown(incident)
    print(dump(stored.report) if as_json else stored.markdown, end="")


async def _listed(
    connection: AsyncConnection[DictRow],
) -> tuple[tuple[reports.ReportHead, ...], tuple[tuple[str, str, int], ...]]:
    return await reports.recent(connection), await jobs.set_aside(connection)


def _unknown(incident: str) -> BadConfiguration:
    return BadConfiguration(f"{incident}: no such incident; `fishbone incidents` lists those there are")


async def _asked(query: Callable[[AsyncConnection[DictRow]], Awaitable[T]]) -> T:
    async with open_database(load_settings()) as database, database.connection() as connection:
        return await query(connection)
