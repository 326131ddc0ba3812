"""`fishbone mcp`: one evidence source for any MCP client, over stdio."""

import asyncio
import logging
import sys
from pathlib import Path

from app.bootstrap import open_house
from app.settings import load_settings
from app.sources import recorded_servers
from bundle.bundle import open_bundle
from domain.errors import BadConfiguration


def run_mcp(name: str, bundle: Path | None) -> None:
    """Serve until the client leaves. Standard output belongs to the protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    if bundle is None:
        raise BadConfiguration("fishbone mcp needs --bundle DIR: live sources come in a later version")
    asyncio.run(_serve(name, bundle))


async def _serve(name: str, path: Path) -> None:
    with open_bundle(path) as bundle:
        if name == "runbooks":
            async with open_house(load_settings()) as house:
                await recorded_servers(bundle, house.index.search, house.index.read)[name].run_stdio_async()
            return
        servers = recorded_servers(bundle, _no_index, _no_index)
        if name not in servers:
            raise BadConfiguration(f"{name}: no such server; the servers are {', '.join(servers)}")
        await servers[name].run_stdio_async()


async def _no_index(*_: object, **__: object) -> None:
    raise BadConfiguration("the runbook index is served by `fishbone mcp runbooks` alone")
