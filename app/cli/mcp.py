"""`fishbone mcp`: one evidence source for any MCP client, over stdio."""

import asyncio
import logging
import sys
from pathlib import Path

from app.bootstrap import open_house
from app.settings import load_settings
from app.sources import RUNBOOKS, evidence_servers
from bundle.bundle import open_bundle
from domain.errors import BadConfiguration
from mcp_servers.runbooks import runbooks


def run_mcp(name: str, bundle: Path | None) -> None:
    """Serve until the client leaves. Standard output belongs to the protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    if bundle is None:
        raise BadConfiguration("fishbone mcp needs --bundle DIR: live sources come in a later version")
    asyncio.run(_serve(name, bundle))


async def _serve(name: str, path: Path) -> None:
    with open_bundle(path) as bundle:
        if name == RUNBOOKS:
            async with open_house(load_settings()) as house:
                await runbooks(house.index.search, house.index.read).run_stdio_async()
        elif name in (servers := evidence_servers(bundle)):
            await servers[name].run_stdio_async()
        else:
            raise BadConfiguration(f"{name}: no such server; the servers are {', '.join([*servers, RUNBOOKS])}")
