"""`fishbone serve`: webhooks and pages, and with --workers also workers beside them."""

import asyncio
import sys

from app.auth import check_start
from app.crew import crew
from app.operations import observed
from app.serve import serve, stop_on_signals
from app.settings import Settings, load_settings
from app.thrift import few_arenas


def run(host: str, port: int, workers: int) -> None:
    """Serve until SIGTERM or SIGINT."""
    few_arenas()
    settings = load_settings()
    check_start(settings, host)  # before a worker is started
    with observed(settings):
        asyncio.run(_serve(settings, host, port, workers))


async def _serve(settings: Settings, host: str, port: int, workers: int) -> None:
    stop = asyncio.Event()
    stop_on_signals(stop)
    async with crew(workers, settings.drain_seconds):
        await serve(settings, host, port, stop, ready=lambda open_port: _say(host, open_port, workers))


def _say(host: str, port: int, workers: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    print(f"fishbone serves http://{shown}:{port}/incidents, workers: {workers}", file=sys.stderr, flush=True)
