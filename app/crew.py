"""Workers beside the web process, for a single machine: started with it, started again when lost, ended with it."""

import asyncio
import ctypes
import logging
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Final

log = logging.getLogger(__name__)
WORKER: Final = (
    sys.executable, "-c", "from app.crew import end_with_parent; end_with_parent(); from app.cli import main; main()",
    "worker",
)  # fmt: skip
BEYOND_DRAIN: Final = 10.0  # seconds that a worker may take beyond its drain
_LONGEST_PAUSE: Final = 30.0
_PARENT_DIED: Final = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def end_with_parent() -> None:
    """Have Linux send SIGTERM when the web process is gone, also where it could not say so (kill -9)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGTERM)


@asynccontextmanager
async def crew(count: int, drain_seconds: float, command: Sequence[str] = WORKER) -> AsyncIterator[None]:
    """Keep so many workers running meanwhile."""
    stop = asyncio.Event()
    keepers = [asyncio.create_task(_keep(command, stop, drain_seconds), name=f"worker {n}") for n in range(count)]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*keepers)


async def _keep(command: Sequence[str], stop: asyncio.Event, drain_seconds: float) -> None:
    pause = 1.0
    while not stop.is_set():
        began = monotonic()
        worker = await asyncio.create_subprocess_exec(*command)
        if await _ended(worker, stop):
            log.warning("the worker %d ended with %s; starting another in %.0f s", worker.pid, worker.returncode, pause)
            await _set_within(stop, pause)
            pause = 1.0 if monotonic() - began > 60 else min(2 * pause, _LONGEST_PAUSE)
        else:
            await _end(worker, drain_seconds + BEYOND_DRAIN)


async def _ended(worker: asyncio.subprocess.Process, stop: asyncio.Event) -> bool:
    """Wait for the worker or for the stop. True when the worker has ended by itself."""
    ends, stops = asyncio.create_task(worker.wait()), asyncio.create_task(stop.wait())
    await asyncio.wait((ends, stops), return_when=asyncio.FIRST_COMPLETED)
    stops.cancel()
    ended = ends.done() and not stop.is_set()
    if not ended:
        ends.cancel()
    return ended


async def _end(worker: asyncio.subprocess.Process, seconds: float) -> None:
    """Ask it to drain, and do not wait for ever."""
    if worker.returncode is not None:
        return
    worker.terminate()
    try:
        await asyncio.wait_for(worker.wait(), seconds)
    except TimeoutError:
        log.warning("the worker %d does not end; it is killed", worker.pid)
        worker.kill()
        await worker.wait()


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
