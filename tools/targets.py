"""What a session can be opened with: a server object, a program, or a URL with a token; own or foreign."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from mcp import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer

from domain.tool import Access

MOST_BYTES: Final = 16 << 20  # of one answer of another process
_CONNECT_SECONDS: Final = 5.0
_READ_SECONDS: Final = 130.0  # the hub's time-outs are shorter


@dataclass(frozen=True)
class Remote:
    """A server over streamable HTTP."""

    url: str
    token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Grant:
    """What one foreign tool may do here. Nothing of it comes from the foreign server."""

    roles: tuple[str, ...]
    access: Access = Access.READ
    timeout_seconds: float = 20.0
    retries: int = 0
    budget_chars: int = 12_000
    view: str = "json"


@dataclass(frozen=True)
class Foreign:
    """A server of somebody else's, with the hash of the tool list that an operator has seen."""

    at: StdioServerParameters | Remote
    pin: str
    grants: Mapping[str, Grant]


Target = MCPServer | StdioServerParameters | str | Remote | Foreign


def is_own_process(target: Target) -> bool:
    """Whether the server lives in this process; such a one can neither be away nor be somebody else's."""
    return isinstance(target, MCPServer)


def connection(target: Target) -> Any:
    """What mcp's Client takes."""
    if isinstance(target, Foreign):
        return connection(target.at)
    return _over_http(target) if isinstance(target, Remote) else target


def _over_http(remote: Remote) -> AbstractAsyncContextManager[Any]:
    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        headers = {"Authorization": f"Bearer {remote.token}"} if remote.token else {}
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS)
        async with (
            httpx2.AsyncClient(
                headers=headers, timeout=timeout, transport=_Bounded(httpx2.AsyncHTTPTransport()), trust_env=False
            ) as client,
            streamable_http_client(remote.url, http_client=client, max_sse_event_size=MOST_BYTES) as streams,
        ):
            yield streams

    return transport()


class _Bounded(httpx2.AsyncBaseTransport):
    """Breaks off an answer that is too long, before it fills the memory."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        response.stream = _Counted(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for part in self._inner:
            count += len(part)
            if count > MOST_BYTES:
                raise httpx2.ReadError(f"the answer is longer than {MOST_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
