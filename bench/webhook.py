"""How many alerts a second the webhook takes for good: a real server process, the embedded Postgres, fsync on.

python -m bench.webhook [--seconds 20] [--senders 4] [--batch 10 --batch 100] [--rate 500] [--no-storm]

Two runs a batch size: at a steady rate, where the latencies count, and as fast as the senders can. Beside the wall
clock the CPU time of web process and Postgres for each post, which tells more on a machine that others use. Then a
storm: 10,000 alerts in 60 s, which must become 20 incidents at most, with all alerts accounted for. Some 3 minutes.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil
import psycopg

from bench.serving import SERVE, address
from store.embedded import EmbeddedServer

ENOUGH, SLOWEST = 500, 0.100  # alerts a second, p99 in seconds
STORM, MOST_INCIDENTS = 10_000, 20


@dataclass
class Run:
    """What one run measured."""

    batch: int
    taken: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    refused: dict[int, int] = field(default_factory=dict)
    web_cpu: float = 0.0  # seconds
    store_cpu: float = 0.0

    @property
    def rate(self) -> float:
        """Alerts a second."""
        return self.taken / self.seconds

    def percentile(self, share: float) -> float:
        """A latency, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def body(number: int, batch: int, repeat: bool) -> bytes:
    """A post as Alertmanager makes it; with `repeat` half of the alerts were there before."""
    alerts = []
    for n in range(batch):
        one = (number - 1 if repeat and n % 2 else number) * batch + n
        labels = {
            "alertname": f"Alert{one % 60}", "instance": f"host-{one % 900}:9100", "job": "node", "cluster": "eu-1",
            "severity": "warning", "namespace": "shop",
        }  # fmt: skip
        alerts.append({
            "status": "firing", "labels": labels, "fingerprint": f"{one:016x}", "startsAt": "2026-11-30T10:00:00Z",
            "annotations": {"summary": f"something is wrong with host-{one % 900}", "description": "more words " * 15},
            "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://prometheus.test/graph?g0.expr=up",
        })  # fmt: skip
    group = {"version": "4", "status": "firing", "receiver": "fishbone", "groupKey": f'{{}}:{{a="{number % 200}"}}'}
    return json.dumps(group | {"truncatedAlerts": 0, "alerts": alerts}).encode()


async def run(at: "Served", batch: int, senders: int, seconds: float, rate: float | None, first: int) -> Run:
    """Post for so long; at a rate, or as fast as the senders can."""
    url, before = at.url, at.cpu()
    told, numbers, began = Run(batch), iter(range(first, 10**9)), time.perf_counter()
    pause = batch * senders / rate if rate else 0.0

    async def send(client: httpx2.AsyncClient, late: float) -> None:
        due = began + late
        while (now := time.perf_counter()) < began + seconds:
            if now < due:
                await asyncio.sleep(due - now)
            due += pause
            posted = body(next(numbers), batch, repeat=True)
            start = time.perf_counter()
            answer = await client.post(f"{url}/webhooks/alertmanager", content=posted)
            told.latencies.append(time.perf_counter() - start)
            if answer.status_code == 202:
                told.taken += batch
            else:
                told.refused[answer.status_code] = told.refused.get(answer.status_code, 0) + 1

    async with httpx2.AsyncClient(timeout=30) as client:
        await asyncio.gather(*(send(client, pause * n / senders) for n in range(senders)))
    told.seconds = time.perf_counter() - began
    told.web_cpu, told.store_cpu = (after - start for after, start in zip(at.cpu(), before, strict=True))
    return told


@dataclass(frozen=True)
class Served:
    """The web process that is measured, and its database."""

    url: str
    web: int  # its pid
    data: Path

    def cpu(self) -> tuple[float, float]:
        """Seconds of the web process, and of all processes of Postgres that ran on the data."""
        web = sum(psutil.Process(self.web).cpu_times()[:2])
        with EmbeddedServer.enter(self.data, named=True):
            pid = int((self.data / "postgres/cluster/postmaster.pid").read_text().split()[0])
        times = psutil.Process(pid).cpu_times()
        return web, sum(times[:4]) + sum(sum(one.cpu_times()[:2]) for one in psutil.Process(pid).children())


def main() -> None:
    """Measure, print a table, and exit 1 below the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--senders", type=int, default=4)
    parser.add_argument("--batch", type=int, action="append")
    parser.add_argument("--rate", type=float, default=ENOUGH)
    parser.add_argument("--no-storm", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-") as folder:
        environment = os.environ | {"FISHBONE_DATA": folder, "FISHBONE_RATE": "100000", "FISHBONE_BURST": "100000"}
        server = subprocess.Popen(SERVE, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            at = Served(address(server), server.pid, Path(folder))
            good = asyncio.run(measure(at, given))
            print(f"the web process holds {psutil.Process(server.pid).memory_info().rss / 2**20:.0f} MB after it")
        finally:
            server.terminate()
            server.communicate(timeout=30)
    if not given.no_storm:
        good &= storm()
    raise SystemExit(0 if good else 1)


async def measure(at: Served, given: Any) -> bool:
    """All runs; whether the steady ones keep to the bar and the fast ones are fast enough."""
    good, first = True, 1
    print(f"load {os.getloadavg()[0]:.1f}; CPU is in ms a post")
    print("batch  asked  alerts/s  p50 ms  p99 ms  max ms  CPU web  CPU store  refused")
    for batch in given.batch or [10, 100]:
        for rate in (given.rate, None):
            told = await run(at, batch, given.senders, given.seconds, rate, first)
            first += len(told.latencies) + 1
            p99, posts = told.percentile(0.99), len(told.latencies)
            good &= p99 <= SLOWEST and told.rate >= 0.97 * rate if rate else told.rate >= ENOUGH
            print(
                f"{batch:>5} {rate or 'all':>6} {told.rate:>9.0f} {1000 * statistics.median(told.latencies):>7.1f} "
                f"{1000 * p99:>7.1f} {1000 * max(told.latencies):>7.1f} {1000 * told.web_cpu / posts:>8.1f} "
                f"{1000 * told.store_cpu / posts:>10.1f}  {told.refused or ''}",
                flush=True,
            )
    return good


def storm() -> bool:
    """10,000 different alerts in a minute over a fresh database."""
    with tempfile.TemporaryDirectory(prefix="fb-") as folder, EmbeddedServer.enter(Path(folder), named=True) as store:
        server = subprocess.Popen(
            SERVE, env=os.environ | {"FISHBONE_DATA": folder}, stderr=subprocess.PIPE, text=True
        )  # fmt: skip
        try:
            slowest = asyncio.run(_storm(address(server)))
        finally:
            server.terminate()
            server.communicate(timeout=30)
        with psycopg.connect(store.dsn) as connection:
            ask = "select (select count(*) from incident), (select count(*) from alert where incident_id is not null)"
            incidents, accounted = connection.execute(ask).fetchone() or (0, 0)
    print(f"storm: {STORM} alerts in 60 s: {incidents} incidents, {accounted} accounted for, slowest {slowest:.2f} s")
    return bool(incidents <= MOST_INCIDENTS and accounted == STORM)


async def _storm(url: str) -> float:
    began, slowest, posts = time.perf_counter(), 0.0, STORM // 50
    async with httpx2.AsyncClient(timeout=30) as client:
        for number in range(posts):
            await asyncio.sleep(max(0.0, began + 60 * number / posts - time.perf_counter()))
            start = time.perf_counter()
            answer = await client.post(f"{url}/webhooks/alertmanager", content=body(number + 1, 50, repeat=False))
            answer.raise_for_status()
            slowest = max(slowest, time.perf_counter() - start)
    return slowest


if __name__ == "__main__":
    main()
