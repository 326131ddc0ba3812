"""`fishbone mcp`: one evidence source, or all of them, for any MCP client, over stdio or HTTP."""

import asyncio
import logging
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mcp.server.mcpserver import MCPServer

from app import live
from app.foreign import pin
from app.settings import Settings, load_settings
from app.sources import RUNBOOKS, evidence_servers
from bundle.bundle import open_bundle
from domain.errors import BadConfiguration
from mcp_servers import http
from mcp_servers.runbooks import runbooks

ALL: Final = "all"
PIN: Final = "pin"


@dataclass(frozen=True)
class Over:
    """How clients reach the server."""

    http: bool = False
    host: str = "127.0.0.1"
    port: int = 8765


def run_mcp(name: str, bundle: Path | None, over: Over, other: str = "") -> None:
    """Serve until the client leaves. Standard output belongs to the protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    settings = load_settings()
    if name == PIN:
        print(asyncio.run(pin(settings, other)))
    else:
        asyncio.run(_serve(name, bundle, over, settings))


async def _serve(name: str, path: Path | None, over: Over, settings: Settings) -> None:
    if name == RUNBOOKS:
        from app.bootstrap import open_house  # the whole house, which the other servers start without

        async with open_house(settings) as house:
            await _run({RUNBOOKS: runbooks(house.index.search, house.index.read)}, over, settings)
    elif path is not None:
        with open_bundle(path) as bundle:
            await _run(_chosen(name, evidence_servers(bundle)), over, settings)
    else:
        beyond = over.http and not http.is_loopback(over.host)
        await _run(_chosen(name, live.served(settings, beyond=beyond)), over, settings)


def _chosen(name: str, servers: dict[str, MCPServer]) -> dict[str, MCPServer]:
    if name == ALL:
        return servers
    if name not in servers:
        raise BadConfiguration(f"{name}: no such server; the servers are {', '.join([*servers, RUNBOOKS, ALL])}")
    return {name: servers[name]}


def _say(servers: Collection[str], host: str, port: int, token: str) -> None:
    """Where it is served, as the setting `remote` takes it."""
    at = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    paths = f"{at}/AREA/mcp for AREA in {', '.join(servers)}" if len(servers) > 1 else f"{at}/mcp"
    lock = "the bearer token FISHBONE_MCP_TOKEN is needed" if token else "no token is needed, on loopback only"
    print(f"fishbone mcp serves {paths}; {lock}", file=sys.stderr, flush=True)


async def _run(servers: dict[str, MCPServer], over: Over, settings: Settings) -> None:
    if over.http:
        token = settings.mcp_token.get_secret_value() if settings.mcp_token else ""
        await http.serve(servers, over.host, over.port, token, ready=lambda port: _say(servers, over.host, port, token))
    elif len(servers) == 1:
        await next(iter(servers.values())).run_stdio_async()
    else:
        raise BadConfiguration("all servers together are served over HTTP only: add --http")
