"""One replay in a process of its own, so that its memory can be measured."""

import asyncio
from pathlib import Path

from app.bootstrap import open_house
from app.replay import replay
from app.settings import Settings
from bundle.bundle import open_bundle
from domain.codec import Json


def report_of(path: Path, dsn: str, data: Path) -> dict[str, Json]:
    """report.json of the bundle."""

    async def run() -> dict[str, Json]:
        async with open_house(Settings(data=data, database_url=dsn)) as house:
            with open_bundle(path) as bundle:
                return (await replay(house, bundle)).document

    return asyncio.run(run())
