"""The web process: webhooks and pages over one database."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from alerts import Received, receivers
from analysis.grouping import Limits
from app import sns
from app.auth import Door, check_start
from app.bootstrap import open_database
from app.intake import Enqueue, Rules, take
from app.limits import Bucket
from app.notify import heralding
from app.operations import Operations
from app.settings import Settings
from app.web.pages import Pages
from app.webhook import Webhooks, error, utc_now
from domain.errors import StoreUnavailable
from store.database import Database
from store.jobs import enqueue

log = logging.getLogger(__name__)
GRACE: Final = 5  # seconds that requests may take to end
GUESSES: Final = (0.2, 20.0)  # wrong tokens in the form: a second, and at once
HEADERS: Final = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
    }.items()
)


def rules_of(settings: Settings) -> Rules:
    """How alerts become incidents, by the settings."""
    limits = Limits(
        timedelta(seconds=settings.group_window_seconds), timedelta(seconds=settings.group_key_seconds),
        timedelta(seconds=settings.cooldown_seconds), settings.storm_incidents,
    )  # fmt: skip
    return Rules(limits, timedelta(seconds=settings.forget_seconds))


def web_app(
    settings: Settings,
    database: Database,
    stop: asyncio.Event,
    *,
    enqueue: Enqueue = enqueue,
    clock: Callable[[], datetime] = utc_now,
    confirm: sns.Fetch = sns.fetch,
    more: Sequence[APIRouter] = (),
) -> ASGIApp:
    """The ASGI application; `more` are further routes, such as /healthz."""
    receivers()  # one that does not load stops the start
    rules, waker = rules_of(settings), Waker(database)

    async def taken(received: Received, identity: str, now: datetime) -> tuple[str, ...]:
        shared = await database.now() if clock is utc_now else now  # web processes of other hosts go by it too
        return await take(database, received, identity, shared, enqueue, rules)

    app = FastAPI(title="fishbone", docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(Webhooks(settings, taken, waker, clock, confirm).router())
    app.include_router(Pages(database, Door(settings), stop, Bucket(*GUESSES)).router())
    for router in more:
        app.include_router(router)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(StoreUnavailable, _away)
    return SafeHeaders(app)


class Waker:
    """Has a database that is away started again, where that is ours to do; once at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._task: asyncio.Task[None] | None = None

    def __call__(self) -> None:
        """Begin, and wait for nothing."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._database.wake(0))


class SafeHeaders:
    """What browsers are told with every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and add the headers."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                private = () if b"cache-control" in known else ((b"cache-control", b"no-store"),)
                message["headers"] = [*message["headers"], *HEADERS, *private]
            await send(message)

        await self._app(scope, receive, sent)


async def _http_error(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    return error(exc.status_code, str(exc.detail), exc.headers)


async def _away(_: Request, exc: Exception) -> Response:
    log.warning("%s", exc)
    return error(503, "the database is away", {"Retry-After": "5"})


async def serve(
    settings: Settings, host: str, port: int, stop: asyncio.Event, *, ready: Callable[[int], None] | None = None
) -> None:
    """Serve until told to stop. Raises BadConfiguration for an address that may not be served without a token."""
    check_start(settings, host)
    async with open_database(settings) as database, heralding(database, settings):
        app = web_app(settings, database, stop, more=(Operations(database, settings, stop).router(),))
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, server_header=False, lifespan="off",
            timeout_graceful_shutdown=GRACE, ws="none",
        )  # fmt: skip
        async with _stopped_by(Server(config), stop) as server:
            await server.serve_on(ready)


class Server(uvicorn.Server):
    """uvicorn's server, without its own signal handlers: those end the process before the database is left."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        """Signals are the caller's."""
        yield

    async def serve_on(self, ready: Callable[[int], None] | None) -> None:
        """Serve, and say the port when it is open."""
        self._ready = ready
        await self.serve()

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """Open the port."""
        await super().startup(sockets)  # type: ignore[arg-type]
        if self._ready and self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


@asynccontextmanager
async def _stopped_by(server: Server, stop: asyncio.Event) -> AsyncIterator[Server]:
    async def wait() -> None:
        await stop.wait()
        server.should_exit = True

    waiting = asyncio.create_task(wait())
    try:
        yield server
    finally:
        stop.set()
        await waiting


def stop_on_signals(stop: asyncio.Event) -> None:
    """SIGTERM and SIGINT ask for an orderly end."""
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
