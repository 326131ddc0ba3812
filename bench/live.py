"""From an alert to its report about this machine as it is now: a real web process, a real worker, the live sources.

python -m bench.live [--n 20] [--workers 1]

One alert after the other, each about this machine and an incident of its own; the clock runs from the post to the
report in the database. Prints n, median and p95; the bar is 10 s and 20 s.
"""

import argparse
import os
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

import httpx2
import psycopg

from bench.serving import SERVE, address
from store.embedded import EmbeddedServer

MEDIAN, P95 = 10.0, 20.0  # seconds
PATIENCE: Final = 120.0
ALERTS: Final = (
    "HostHighCpuLoad", "HostOutOfMemory", "FilesystemAlmostFull", "HostOomKillDetected", "HostClockSkew",
    "HostNetworkReceiveErrors", "HostSystemdServiceCrashed", "HostHighLoad", "HostUnusualDiskLatency", "HostSwapIsFull",
)  # fmt: skip


def main() -> None:
    """Measure, and exit 1 beyond the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-") as folder, EmbeddedServer.enter(Path(folder), named=True) as store:
        environment = os.environ | {
            "FISHBONE_DATA": folder, "FISHBONE_GROUP_WINDOW_SECONDS": "0.001", "FISHBONE_GROUP_KEY_SECONDS": "0.001",
            "FISHBONE_STORM_INCIDENTS": "100000",
        }  # fmt: skip
        server = subprocess.Popen(
            [*SERVE, "--workers", str(given.workers)], env=environment, stderr=subprocess.PIPE, text=True
        )
        try:
            url = address(server)
            assert server.stderr is not None
            threading.Thread(target=server.stderr.read, daemon=True).start()  # lest the workers' log fill the pipe
            with psycopg.connect(store.dsn, autocommit=True) as connection:
                _until(connection, "select 1 from procrastinate_workers", ())
                took = [_one(connection, url, number) for number in range(given.n)]
        finally:
            server.terminate()
            server.communicate(timeout=60)
    ordered = sorted(took)
    median, p95 = statistics.median(took), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(f"alert to report: n {len(took)}, median {median:.1f} s, p95 {p95:.1f} s, max {ordered[-1]:.1f} s")
    raise SystemExit(0 if median <= MEDIAN and p95 <= P95 else 1)


def _one(connection: psycopg.Connection[tuple[object, ...]], url: str, number: int) -> float:
    """Seconds from the post to the report."""
    name, host = ALERTS[number % len(ALERTS)], socket.gethostname()
    alert = {
        "status": "firing", "fingerprint": f"bench{number:08}", "annotations": {"summary": f"{name} on {host}"},
        "labels": {"alertname": name, "instance": f"{host}:9100", "severity": "warning"},
    }  # fmt: skip
    began = time.perf_counter()
    answer = httpx2.post(f"{url}/webhooks/alertmanager", json={"version": "4", "alerts": [alert]}, timeout=30)
    (incident,) = answer.raise_for_status().json()["incident_ids"]
    _until(connection, "select 1 from report where incident_id = %s", (incident,))
    return time.perf_counter() - began


def _until(connection: psycopg.Connection[tuple[object, ...]], query: str, values: tuple[object, ...]) -> None:
    end = time.perf_counter() + PATIENCE
    while connection.execute(query.encode(), values or None).fetchone() is None:
        if time.perf_counter() > end:
            raise SystemExit(f"not within {PATIENCE:.0f} s: {query}")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
