"""What watches over fishbone needs: /healthz, /readyz, /metrics, and the set-up of logs and spans."""

import asyncio
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from time import monotonic
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from psycopg.errors import Error as DatabaseError

from app.auth import Door
from app.gauges import BOUNDS, Gauges
from app.logs import set_up_logs
from app.settings import Settings
from domain.errors import BadConfiguration, MissingSetting, StoreUnavailable
from store import jobs
from store.database import Database
from store.migrate import is_current
from store.numbers import numbers

FRESH_SECONDS: Final = 5.0  # two scrapes so close together count once
_READY_SECONDS: Final = 3.0
_NEEDS_OTEL: Final = "otel_endpoint is set, but the extra is not installed: pip install 'fishbone[otel]'"


@dataclass
class Operations:
    """The routes of one web process."""

    database: Database
    settings: Settings
    stop: asyncio.Event = field(default_factory=asyncio.Event)  # set: this process takes nothing new
    _known: tuple[float, Gauges] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def router(self) -> APIRouter:
        """The three routes."""
        router = APIRouter(include_in_schema=False)
        for path, answer in (("/healthz", self.healthz), ("/readyz", self.readyz), ("/metrics", self.metrics)):
            router.add_api_route(path, answer, methods=["GET"], response_model=None)
        return router

    async def healthz(self) -> Response:
        """The process lives: restart it where this gives no answer."""
        return PlainTextResponse("ok\n")

    async def readyz(self) -> Response:
        """Whether alerts can be taken: 503 names the part that is away."""
        parts = await ready(self.database, self.settings)
        if self.stop.is_set():
            parts["process"] = "is ending"
        fine = all(told.startswith("ok") for told in parts.values())
        return JSONResponse(parts, 200 if fine else 503)

    async def metrics(self, request: Request) -> Response:
        """For Prometheus; with a token set it must send it."""
        if not Door(self.settings).may_see(request.headers, request.cookies):
            return PlainTextResponse("a bearer token is needed\n", 401, {"WWW-Authenticate": "Bearer"})
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(await self._gauges())
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    async def _gauges(self) -> Gauges:
        """What the database counts; while it is away only that it is."""
        async with self._lock:
            if self._known is None or monotonic() - self._known[0] > FRESH_SECONDS:
                self._known = monotonic(), await gathered(self.database, self.settings)
            return self._known[1]


async def gathered(database: Database, settings: Settings) -> Gauges:
    """The numbers of the whole house."""
    try:
        async with asyncio.timeout(_READY_SECONDS), database.connection() as connection:
            return Gauges(await numbers(connection, BOUNDS), await jobs.counts(connection, settings.lease_seconds))
    except (StoreUnavailable, TimeoutError, DatabaseError):
        return Gauges()


async def ready(database: Database, settings: Settings) -> dict[str, str]:
    """Of database, migrations and queue `ok`, with a word more, or what is wrong."""
    try:
        async with asyncio.timeout(_READY_SECONDS), database.connection() as connection:
            if not await is_current(connection):
                return {"database": "ok", "migrations": "not all are applied"}
            counts = await jobs.counts(connection, settings.lease_seconds)
    except (StoreUnavailable, TimeoutError) as exc:
        return {"database": str(exc) or f"no answer within {_READY_SECONDS:g} s"}
    except BadConfiguration as exc:
        return {"database": "ok", "migrations": str(exc)}
    said = f"ok: {counts.waiting} waiting, {counts.running} running, {counts.workers} workers"
    return {"database": "ok", "migrations": "ok", "queue": said}


@contextmanager
def observed(settings: Settings) -> Iterator[None]:
    """Logs, and spans where an endpoint is set, of a process that stays up. Raises MissingSetting."""
    set_up_logs(settings)
    if not settings.otel_endpoint:
        yield
        return
    if find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter") is None:
        raise MissingSetting(_NEEDS_OTEL)
    otel: Any = importlib.import_module("app.otel")  # an extra that may be missing
    provider = otel.set_up(otel.to_collector(settings.otel_endpoint))
    try:
        yield
    finally:
        provider.shutdown()
