"""Throughput of one worker and of two on a queue of replayed incidents, and what an idle worker costs.

    python -m bench.workers [--full] [--incidents N] [--concurrency 1] [--bundle DIR] [--only cpu]

24 incidents, some 4 minutes; `--full` takes 200, as the bar says.

CPU work: the recorded incident as it is. Waiting work: the same, with a host tool that answers after two seconds.
The clock runs from the first incident that a worker takes to the last report; workers are started before.
"""

import argparse
import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil

from app.bootstrap import House, open_house
from app.evidence import targets
from app.queue import run_worker
from app.replay import incident_of
from app.settings import load_settings
from bundle.bundle import open_bundle
from domain.alert import Incident
from domain.results import Facts
from mcp_servers.host import host
from mcp_servers.recorded.host import RecordedHost
from store import incidents
from store.jobs import enqueue
from tools.targets import Target

WAIT_SECONDS = 2.0
IDLE_SECONDS = 20.0


class WaitingHost(RecordedHost):
    """A host that takes its time."""

    def snapshot(self, kinds: list[str] | None) -> Facts:
        """As recorded, later."""
        time.sleep(WAIT_SECONDS)
        return super().snapshot(kinds)


def waiting(house: House, incident: Incident) -> Mapping[str, Target]:
    """The recorded incident, with one slow source."""
    assert house.settings.evidence is not None
    return {**targets(house, incident), "host": host(WaitingHost(open_bundle(house.settings.evidence)))}


async def serve(data: str, bundle: str, concurrency: int, waits: bool) -> None:
    """Be a worker until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with open_house(load_settings(data=data, evidence=bundle)) as house:
        print("ready", flush=True)
        await run_worker(house, concurrency, stop, targets=waiting if waits else targets)


@contextmanager
def workers(count: int, given: argparse.Namespace, data: str, waits: bool):  # type: ignore[no-untyped-def]
    """So many worker processes, ready."""
    command = [sys.executable, "-m", "bench.workers", "--serve", data, "--concurrency", str(given.concurrency),
               "--bundle", str(given.bundle), *(["--waits"] if waits else [])]  # fmt: skip
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    try:
        for each in running:
            assert each.stdout is not None
            if each.stdout.readline() != "ready\n":
                raise SystemExit("a worker did not start")
        time.sleep(1)
        yield [each.pid for each in running]
    finally:
        for each in running:
            each.terminate()
            each.wait(60)


async def drained(house: House, given: argparse.Namespace, label: str) -> float:
    """Incidents a second, from the first taken to the last report."""
    incident = incident_of(open_bundle(given.bundle))
    async with house.database.connection() as connection:
        async with connection.transaction():
            for n in range(given.incidents):
                await incidents.save(connection, replace(incident, id=f"{label}-{n}"))
                await enqueue(connection, f"{label}-{n}")
        begun = time.perf_counter()
        while True:
            await asyncio.sleep(0.2)
            counted = await connection.execute(
                b"select count(*) as n from report where incident_id like %s", (f"{label}-%",)
            )
            row = await counted.fetchone()
            if row is not None and row["n"] == given.incidents:
                return float(given.incidents / (time.perf_counter() - begun))


async def measure(given: argparse.Namespace) -> None:
    """Print one line a measurement."""
    with tempfile.TemporaryDirectory(prefix="fishbone-bench-") as data:
        async with open_house(load_settings(data=data)) as house:
            with workers(1, given, data, False) as (pid,):
                await idle(pid, "idle worker")
            for waits in {"both": (True, False), "waiting": (True,), "cpu": (False,)}[given.only]:
                rates = []
                for count in (1, 2):
                    label = f"bench-{'waiting' if waits else 'cpu'}-{count}"
                    with workers(count, given, data, waits) as pids:
                        rates.append(await drained(house, given, label))
                        if not waits and count == 1:
                            await idle(pids[0], f"idle worker after {given.incidents} reports")
                    print(f"{label}: {rates[-1]:.2f} incidents/s", flush=True)
                print(f"{'waiting' if waits else 'cpu'}: two workers {rates[1] / rates[0]:.2f} times one", flush=True)


async def idle(pid: int, what: str) -> None:
    """What a worker without work costs."""
    process = psutil.Process(pid)
    await asyncio.sleep(5)
    before = sum(process.cpu_times()[:2])
    await asyncio.sleep(IDLE_SECONDS)
    used = sum(process.cpu_times()[:2]) - before
    print(f"{what}: {100 * used / IDLE_SECONDS:.2f} % CPU, {process.memory_info().rss / 2**20:.0f} MB", flush=True)


def main() -> None:
    """Measure, or be a worker that is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incidents", type=int, default=24)
    parser.add_argument("--full", action="store_true", help="200 incidents")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--bundle", type=Path, default=Path("incidents/cart-saves-fail"))
    parser.add_argument("--only", choices=("both", "waiting", "cpu"), default="both")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--waits", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.incidents = 200 if given.full else given.incidents
    if given.serve:
        asyncio.run(serve(given.serve, str(given.bundle), given.concurrency, given.waits))
    else:
        asyncio.run(measure(given))


if __name__ == "__main__":
    main()
