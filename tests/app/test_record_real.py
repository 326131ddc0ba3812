"""`fishbone record` with a real container engine, and with a real Prometheus: what is recorded replays to the cause."""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.bootstrap import open_house
from app.replay import replay
from app.settings import load_settings
from bundle.bundle import open_bundle
from store.lock import wait_until
from tests.acceptance.stack import free_port, running
from tests.app.test_record import FILLER
from tests.mcp_servers.live.engine import IMAGE, running_engine

EXPORTER, PROMETHEUS = "prometheus-node-exporter", "prometheus"


def recorded(out: Path, alert: dict[str, str], *about: str, **settings: str) -> list[str]:
    """Record by the command, as a person would; what it says."""
    body = {"version": "4", "status": "firing", "receiver": "x", "alerts": [{
        "status": "firing", "startsAt": datetime.now(UTC).isoformat(), "fingerprint": "f1", "labels": alert,
        "annotations": {"summary": alert["alertname"]}}]}  # fmt: skip
    given = out.with_suffix(".json")
    given.write_text(json.dumps(body))
    command = [str(Path(sys.executable).with_name("fishbone")), "record", "--out", str(out), "--since", "10m",
               "--alert", str(given), *(word for one in about for word in ("--about", one))]  # fmt: skip
    environment = {**os.environ, **{f"FISHBONE_{key.upper()}": value for key, value in settings.items()}}
    done = subprocess.run(command, env=environment, cwd=out.parent, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


async def cause(dsn: str, path: Path) -> tuple[Any, Any]:
    """Of a replay on a machine that knows nothing but the recording."""
    async with open_house(load_settings(database_url=dsn)) as house:
        with open_bundle(path) as bundle:
            assert bundle.gaps == ()
            document = (await replay(house, bundle)).document
    found = document["root_cause"]
    return (found["entity"], found["fault"]) if found else (None, document["hypotheses"][:3])


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """A container that was OOM-killed, and one that is well."""
    with running_engine() as api:
        # it serves for a while, then its memory grows as a cache does that nobody bounds
        leak = "echo '10:00 INFO invoice-worker ready'; sleep 2; echo 'loading batch'; tail /dev/zero"
        _start(api, "invoice-worker", leak, mem_limit="16m", memswap_limit="16m")
        _start(api, "mail-relay", "echo ready; exec sleep 600")
        assert wait_until(lambda: api.inspect_container("invoice-worker")["State"]["Status"] == "exited", 60)
        yield api


def _start(api: Any, name: str, script: str, **limits: str) -> None:
    config = api.create_host_config(network_mode="none", init=not limits, **limits)
    made = api.create_container(IMAGE, ["sh", "-c", script], name=name, host_config=config)
    api.start(made["Id"])


@pytest.mark.timeout(180)
async def test_a_container_that_was_oom_killed_is_recorded_and_replays_to_that(
    engine: Any, dsn: str, tmp_path: Path
) -> None:
    if not engine.inspect_container("invoice-worker")["State"]["OOMKilled"]:
        pytest.skip("this kernel does not hold containers to their memory limit")
    alert = {"alertname": "InvoiceBatchErrors", "service": "invoice-worker", "severity": "critical"}
    (tmp_path / "none.log").touch()
    recorded(
        tmp_path / "rec", alert, "invoice-worker", docker_host=engine.fishbone_socket, journal="off",
        log_globs=str(tmp_path / "*.log"),
    )  # fmt: skip
    kept = {path.relative_to(tmp_path / "rec").as_posix() for path in (tmp_path / "rec").rglob("*") if path.is_file()}
    assert {"docker/containers.json", "docker/events.jsonl", "logs/container/invoice-worker.log"} <= kept
    assert await cause(dsn, tmp_path / "rec") == ("container:invoice-worker", "memory.oom_kill")


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system that is not full yet."""
    disk = tmp_path / "carts"
    disk.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]).returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[str]:
    """A Prometheus that asks a node exporter every second."""
    for each in (EXPORTER, PROMETHEUS):
        if not any((Path(folder) / each).exists() for folder in os.environ["PATH"].split(os.pathsep)):
            pytest.skip(f"not installed: {each} (Debian package)")
    exporter, port = free_port(), free_port()
    (tmp_path / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s}\n"
        f"scrape_configs: [{{job_name: node, static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]}}]\n"
    )
    at = "--web.listen-address=127.0.0.1:"
    with (
        running([EXPORTER, f"{at}{exporter}", "--collector.disable-defaults", "--collector.filesystem",
                 "--collector.meminfo", "--collector.loadavg"], tmp_path / "exporter.out"),
        running([PROMETHEUS, f"{at}{port}", f"--config.file={tmp_path}/prometheus.yml",
                 f"--storage.tsdb.path={tmp_path}/tsdb"], tmp_path / "prometheus.out"),
    ):  # fmt: skip
        yield f"http://127.0.0.1:{port}"


def _fill(disk: Path, log: Path) -> None:
    subprocess.run([sys.executable, "-c", FILLER, str(disk), str(log)], check=True)


def _samples(url: str, disk: Path) -> int:
    """How often the file system was looked at."""
    query = f'count_over_time(node_filesystem_avail_bytes{{mountpoint="{disk}"}}[5m])'
    try:
        found = httpx2.get(f"{url}/api/v1/query", params={"query": query}, timeout=5).json()["data"]["result"]
    except (httpx2.HTTPError, ValueError, KeyError):
        return 0
    return int(found[0]["value"][1]) if found else 0


@pytest.mark.timeout(180)
async def test_metrics_of_a_prometheus_are_recorded_and_the_full_disk_is_the_cause_again(
    full_disk: Path, prometheus: str, dsn: str, tmp_path: Path
) -> None:
    assert wait_until(lambda: _samples(prometheus, full_disk) >= 20, 90), "no samples before the fault"
    _fill(full_disk, tmp_path / "cart-store.log")
    before = _samples(prometheus, full_disk)
    assert wait_until(lambda: _samples(prometheus, full_disk) >= before + 5, 60), "no samples of the fault"
    alert = {"alertname": "CartSavesFail", "service": "cart-store", "severity": "critical"}
    recorded(
        tmp_path / "rec", alert, str(full_disk), docker_host="off", journal="off", prometheus_url=prometheus,
        log_globs=str(tmp_path / "*.log"),
    )  # fmt: skip
    with gzip.open(tmp_path / "rec/metrics/metrics.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    free = [float(row["value"]) for row in rows if "avail_bytes" in row["metric"] and str(full_disk) in str(row)]
    assert free and max(free) > 0 and free[-1] == 0, sorted({row["metric"] for row in rows})
    assert (await cause(dsn, tmp_path / "rec"))[1] == "disk.full"
