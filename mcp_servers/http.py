"""Our servers over streamable HTTP for other hosts, behind a bearer token."""

import hmac
import ipaddress
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from socket import socket
from typing import Final

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from domain.errors import MissingSetting

DRAIN_SECONDS: Final = 5


def must_be_safe(host: str, token: str) -> None:
    """Raises MissingSetting where strangers could ask."""
    if not token and not is_loopback(host):
        raise MissingSetting(f"FISHBONE_MCP_TOKEN: set a token before serving on {host}, which other hosts can reach")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def application(servers: Mapping[str, MCPServer], host: str, token: str) -> ASGIApp:
    """Each server at /NAME/mcp, where other hosts look for it; one alone also at /mcp."""
    # With a token no page in a browser can ask; without one only loopback's own names may be used.
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False) if token else None
    apps = {
        name: server.streamable_http_app(
            json_response=True, stateless_http=True, host=host, transport_security=security
        )
        for name, server in servers.items()
    }  # fmt: skip

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for server in servers.values():
                await stack.enter_async_context(server.session_manager.run())
            yield

    routes = [Mount(f"/{name}", app=app) for name, app in apps.items()]
    if len(apps) == 1:
        routes += [Mount("/", app=app) for app in apps.values()]
    return Bearer(Starlette(routes=routes, lifespan=lifespan), token)


class Bearer:
    """Lets nobody in without the token."""

    def __init__(self, inner: ASGIApp, token: str) -> None:
        self._inner, self._wanted = inner, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers 401 itself, passes all else on."""
        given = dict(scope.get("headers") or ()).get(b"authorization", b"")
        if scope["type"] == "http" and self._wanted and not hmac.compare_digest(given, self._wanted):
            refused = JSONResponse({"error": "a bearer token is needed"}, 401, {"WWW-Authenticate": "Bearer"})
            await refused(scope, receive, send)
        else:
            await self._inner(scope, receive, send)


class _Told(uvicorn.Server):
    """uvicorn's server, which says its port when it is open."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Open the port."""
        await super().startup(sockets)
        if self._ready and self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


async def serve(
    servers: Mapping[str, MCPServer], host: str, port: int, token: str, ready: Callable[[int], None] | None = None
) -> None:
    """Serve until SIGTERM; `ready` hears the port. Raises MissingSetting where strangers could ask."""
    must_be_safe(host, token)
    config = uvicorn.Config(
        application(servers, host, token), host=host, port=port, log_level="warning",
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )  # fmt: skip
    await _Told(config, ready).serve()
