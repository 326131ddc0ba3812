"""`fishbone worker`: investigate what waits in the queue, until told to stop."""

import asyncio
import signal

from app.bootstrap import open_database, open_house
from app.notify import heralding
from app.operations import observed
from app.prune import pruning
from app.queue import run_worker
from app.settings import Settings, load_settings
from app.thrift import few_arenas
from domain.errors import BadConfiguration
from store import incidents
from store.claims import forgive
from store.jobs import enqueue


def run(concurrency: int) -> None:
    """Work until SIGTERM or SIGINT; what is not done then goes back to the queue at once."""
    few_arenas()
    settings = load_settings()
    with observed(settings):
        asyncio.run(_work(settings, concurrency))


async def _work(settings: Settings, concurrency: int) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
    async with (
        open_house(settings, models=True) as house,
        heralding(house.database, settings) as herald,
        pruning(house.database, settings),
    ):
        await run_worker(house, concurrency, stop, notify=herald.tell)


def retry(incident: str) -> None:
    """Put an incident back into the queue, its crashes forgiven."""
    waits = asyncio.run(_retry(load_settings(), incident))
    print(f"{incident} is in the queue" if waits else f"{incident} was in the queue already")


async def _retry(settings: Settings, incident: str) -> bool:
    async with open_database(settings) as database, database.connection() as connection, connection.transaction():
        known = await incidents.get(connection, incident)
        if known is None or not await forgive(connection, incident):
            raise BadConfiguration(f"{incident}: no such incident; `fishbone incidents` lists those there are")
        if known.status == "closed":
            raise BadConfiguration(f"{incident} is closed, and only what is open or was set aside is tried again")
        return await enqueue(connection, incident) > 0
