"""A scripted chat-completions server on loopback: real HTTP, and it misbehaves on demand.

    async with scripted(rate_limited(0), says("fine")) as server:
        ...                       # point a tier's base_url at server.url
        server.requests[0].body   # what was sent

Each request takes the next behaviour of the script; when it is used up, `then` answers everything further. A request
that no behaviour is left for is answered by 418 and fails the test at the end, and so do behaviours that nobody used.
"""

import json
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

_HANGS_AT_MOST: Final = 60.0  # seconds; a test that ends lets go at once


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        """Names of the tools that were offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def key(self) -> str:
        """The API key, empty without one."""
        return self.headers.get("authorization", "").removeprefix("Bearer ").strip()


@dataclass(frozen=True)
class Answer:
    """What goes back."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    reset_after: int | None = None  # bytes of the body, and then the connection is reset
    hangs: bool = False  # nothing is sent at all


Behaviour = Callable[[Request], Answer]


@dataclass
class Scripted:
    """The server, as a test sees it."""

    url: str = ""  # the base_url of a tier
    requests: list[Request] = field(default_factory=list)  # to /chat/completions
    left: list[Behaviour] = field(default_factory=list)
    then: Behaviour | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # path -> JSON, of what else may be asked (/v1/models)
    unexpected: list[Request] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> Answer:
        """The next behaviour's."""
        with self._lock:
            self.requests.append(request)
            behaviour = self.left.pop(0) if self.left else self.then
            if behaviour is None:
                self.unexpected.append(request)
                return Answer(b"no behaviour is left", 418, content_type="text/plain")
        return behaviour(request)


@asynccontextmanager
async def scripted(
    *behaviours: Behaviour, then: Behaviour | None = None, facts: Mapping[str, Any] | None = None
) -> AsyncIterator[Scripted]:
    """Serve the script meanwhile."""
    kept = Scripted(left=list(behaviours), then=then, facts=dict(facts or {}))
    server = _Server(("127.0.0.1", 0), _Handler)
    server.kept = kept
    kept.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    serving = threading.Thread(target=server.serve_forever, args=(0.02,))
    serving.start()
    try:
        yield kept
        assert not kept.unexpected, f"{len(kept.unexpected)} requests were not in the script"
        assert not kept.left, f"{len(kept.left)} behaviours were not asked for"
    finally:
        kept.ending.set()
        server.shutdown()
        serving.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    kept: Scripted


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw or b"{}"))
        chat = self.path.endswith("/chat/completions")
        self._answer(self.server.kept.answer(request) if chat else self._fact())

    def do_GET(self) -> None:
        self._answer(self._fact())

    def _fact(self) -> Answer:
        known = self.server.kept.facts.get(self.path)
        return Answer(b"{}", 404) if known is None else Answer(json.dumps(known).encode())

    def _answer(self, answer: Answer) -> None:
        if answer.hangs:
            self.server.kept.ending.wait(_HANGS_AT_MOST)
            self.close_connection = True
            return
        try:
            self._send(answer)
        except (BrokenPipeError, ConnectionResetError):  # the client has given up
            self.close_connection = True

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body[: answer.reset_after])
        if answer.reset_after is not None:
            self._reset()

    def _reset(self) -> None:
        self.wfile.flush()
        # closing with nothing to linger for sends RST in the place of FIN
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, format: str, *given: Any) -> None:
        pass
