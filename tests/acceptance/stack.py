"""A real Prometheus, Alertmanager, node exporter and `fishbone serve`, each a process of the test's own on loopback."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import yaml

from store.lock import wait_until

PROGRAMS = ("prometheus", "prometheus-alertmanager", "prometheus-node-exporter")
TOKEN = "let-the-stack-in"
RULES = Path("deploy/prometheus/rules.yml")
AUTHORIZATION = {"Authorization": f"Bearer {TOKEN}"}


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def running(command: list[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """The process meanwhile; it is asked to end, and after a while killed."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **(environment or {})})
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Stack:
    """The programs and how to ask them."""

    def __init__(self, folder: Path, disk: Path) -> None:
        self.folder, self.disk = folder, disk
        self.prometheus, self.alertmanager, self.exporter = free_port(), free_port(), free_port()
        self.web = free_port()
        self._open = ExitStack()

    def start_fishbone(self, settings: Mapping[str, Any]) -> None:
        """serve with one worker."""
        given = {
            "data": str(self.folder / "d"), "token": TOKEN, "docker_host": "off", "journal": "off",
            "prometheus_url": f"http://127.0.0.1:{self.prometheus}", "log_format": "json", "poll_seconds": "1",
            "heartbeat_seconds": "1", "lease_seconds": "4", **settings,
        }  # fmt: skip
        environment = {f"FISHBONE_{key.upper()}": _env(value) for key, value in given.items()}
        fishbone = str(Path(sys.executable).with_name("fishbone"))
        command = [fishbone, "serve", "--host", "127.0.0.1", "--port", str(self.web), "--workers", "1"]
        self._open.enter_context(running(command, self.folder / "fishbone.log", environment))

    def until_ready(self) -> None:
        """Until alerts can be taken and a worker is there."""
        self.until(lambda: self.get("/readyz").get("queue", "").endswith("1 workers"), 60, "a worker")

    def start_monitoring(self) -> None:
        """Prometheus with the rules that are shipped, Alertmanager with our webhook, and the exporter."""
        shipped = RULES.read_text().replace('fstype!~"squashfs|ramfs"', f'mountpoint="{self.disk}"')
        machine, _ = yaml.safe_load(re.sub(r"for: \w+", "for: 1s", shipped))["groups"]
        machine["rules"] = [rule for rule in machine["rules"] if rule["alert"] == "FilesystemAlmostFull"]
        self._write("rules.yml", {"groups": [machine]})
        self._write("prometheus.yml", {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": ["rules.yml"],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{self.alertmanager}"]}]}]},
            "scrape_configs": [
                {"job_name": "node", "static_configs": [{"targets": [f"127.0.0.1:{self.exporter}"]}]},
                {"job_name": "fishbone", "authorization": {"credentials": TOKEN},
                 "static_configs": [{"targets": [f"127.0.0.1:{self.web}"]}]},
            ],
        })  # fmt: skip
        hook = {
            "url": f"http://127.0.0.1:{self.web}/webhooks/alertmanager", "send_resolved": True,
            "http_config": {"authorization": {"credentials": TOKEN}},
        }  # fmt: skip
        route = {"receiver": "fishbone", "group_by": ["alertname"], "group_wait": "1s", "group_interval": "2s",
                 "repeat_interval": "1h"}  # fmt: skip
        self._write(
            "alertmanager.yml", {"route": route, "receivers": [{"name": "fishbone", "webhook_configs": [hook]}]}
        )
        at = "--web.listen-address=127.0.0.1:"
        self._program("prometheus-node-exporter", f"{at}{self.exporter}", "--collector.disable-defaults",
                      "--collector.filesystem", "--collector.loadavg", "--collector.meminfo")  # fmt: skip
        self._program("prometheus-alertmanager", f"{at}{self.alertmanager}", "--cluster.listen-address=",
                      f"--config.file={self.folder}/alertmanager.yml", f"--storage.path={self.folder}/am")  # fmt: skip
        self._program("prometheus", f"{at}{self.prometheus}", f"--config.file={self.folder}/prometheus.yml",
                      f"--storage.tsdb.path={self.folder}/tsdb")  # fmt: skip

    def get(self, path: str) -> dict[str, Any]:
        """JSON of fishbone; empty while it gives none."""
        try:
            answer = httpx2.get(f"http://127.0.0.1:{self.web}{path}", headers=AUTHORIZATION, timeout=5)
            return dict(answer.json()) if answer.status_code in (200, 503) else {}
        except (httpx2.HTTPError, ValueError):
            return {}

    def samples(self, query: str) -> list[float]:
        """The values of an instant query."""
        try:
            answer = httpx2.get(f"http://127.0.0.1:{self.prometheus}/api/v1/query", params={"query": query}, timeout=5)
            return [float(one["value"][1]) for one in answer.json()["data"]["result"]]
        except (httpx2.HTTPError, ValueError, KeyError):
            return []

    def until(self, true: Any, seconds: float, what: str) -> None:
        assert wait_until(true, seconds), f"{what}: not within {seconds} s; {self.tail()}"

    def tail(self) -> str:
        """The ends of the logs."""
        return "\n".join(f"== {path.name}\n{path.read_text()[-3000:]}" for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        self._open.close()

    def _program(self, name: str, *options: str) -> None:
        self._open.enter_context(running([name, *options], self.folder / f"{name}.log"))

    def _write(self, name: str, value: Any) -> None:
        (self.folder / name).write_text(yaml.safe_dump(value, sort_keys=False))


def _env(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
