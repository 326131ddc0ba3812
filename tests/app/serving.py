"""A real web server on loopback, in the test's own event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx2
import uvicorn

from app.serve import Server, web_app
from app.settings import load_settings
from store.database import Database

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


@asynccontextmanager
async def serving(
    database: Database, clock: Callable[[], datetime] = lambda: NOW, confirm: Any = None, **settings: Any
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a server with these settings."""
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    more = {"confirm": confirm} if confirm else {}
    app = web_app(load_settings(**settings), database, stop, clock=clock, **more)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False, lifespan="off", ws="none",
                            timeout_graceful_shutdown=2)  # fmt: skip
    server = Server(config)
    running = asyncio.create_task(server.serve_on(ready.set_result))
    port = await asyncio.wait_for(ready, 20)
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield client
    finally:
        stop.set()
        server.should_exit = True
        await asyncio.wait_for(running, 20)


def entry(name: str = "DiskFull", host: str = "db-1", **changes: Any) -> dict[str, Any]:
    """One alert of Alertmanager's."""
    return {
        "status": "firing", "labels": {"alertname": name, "instance": f"{host}:9100"},
        "annotations": {"summary": f"{name} on {host}"}, "startsAt": "2026-03-04T10:22:00Z",
        "fingerprint": f"{name}-{host}", **changes,
    }  # fmt: skip


def post(*entries: Any) -> dict[str, Any]:
    """A body of Alertmanager's."""
    return {"version": "4", "status": "firing", "receiver": "fishbone", "alerts": list(entries or [entry()])}
