"""Of every live source whether it is ok, degraded with the reason, or off: what `fishbone doctor` prints of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from app.foreign import foreign_targets
from app.live import log_globs, prometheus_of, remote_targets
from app.settings import Settings
from domain.errors import BadConfiguration, ToolError
from mcp_servers.live import journal
from mcp_servers.live.engine import Engine
from mcp_servers.live.log_files import log_files
from mcp_servers.live.targets import Allowed
from tools.servers import Session

State = tuple[str, str, str]  # source, ok | degraded | off, what it says
_BACK: Final = timedelta(hours=1)


async def states(settings: Settings) -> AsyncIterator[State]:
    """One row for each source."""
    yield "host", "ok", "psutil, /proc and /sys of this machine"
    for name, look in (("containers", _engine), ("logs", _logs), ("journal", _journal), ("metrics", _prometheus)):
        yield await asyncio.to_thread(_row, name, look, settings)
    problems: list[str] = []
    targets = Allowed(settings.network_allow.split(",")).to_probe(problems)
    yield "network", "degraded" if problems else "ok", "; ".join(problems) or f"{len(targets)} targets are probed"
    async for row in _others(settings):
        yield row


def _row(name: str, look: Callable[[Settings], tuple[str, str]], settings: Settings) -> State:
    try:
        return name, *look(settings)
    except ToolError as exc:
        return name, "degraded", str(exc)


def _engine(settings: Settings) -> tuple[str, str]:
    engine = Engine(settings.docker_host)
    if not engine.is_there:
        return "off", "no container engine was found or named (docker_host)"
    problems: list[str] = []
    found = engine.containers(problems)
    return "degraded" if problems else "ok", "; ".join(problems) or f"{engine.name}: {len(found)} containers"


def _logs(settings: Settings) -> tuple[str, str]:
    problems: list[str] = []
    found = log_files(log_globs(settings), datetime.now(UTC) - _BACK, problems)
    said = f"{len(found)} files written to in the last hour"
    return ("degraded", f"{said}; {'; '.join(problems)}") if problems else ("ok", said)


def _journal(settings: Settings) -> tuple[str, str]:
    now = datetime.now(UTC)
    found = journal.texts(settings.journal, now - _BACK, now)
    return ("ok", f"{len(found)} units wrote in the last hour") if found else ("off", "no journal, or nothing in it")


def _prometheus(settings: Settings) -> tuple[str, str]:
    server = prometheus_of(settings)
    if server is None:
        return "off", "no Prometheus is named (prometheus_url)"
    return "ok", f"{server.name}: {len(server.instant('up', datetime.now(UTC)))} targets"


async def _others(settings: Settings) -> AsyncIterator[State]:
    """Servers on other hosts, and foreign ones."""
    try:
        targets = remote_targets(settings) | foreign_targets(settings)
    except BadConfiguration as exc:
        yield "foreign", "degraded", str(exc)
        return
    for name, target in targets.items():
        session = Session(name, target)
        try:
            yield f"server {name}", "ok", f"{len(await session.tools())} tools"
        except ToolError as exc:
            yield f"server {name}", "degraded", str(exc)
        finally:
            await session.close()
