"""What watches the stage from another machine: a real Prometheus, and an exporter of what clients and the lab see.

node exporter runs on the stage itself. Prometheus and the exporter stand on an address of their own, outside the
stage's processes, as they would in a shop.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lab.stage import ENVIRONMENT, MONITOR, Stage, wait_for_port

Sampler = Callable[[], Iterable[tuple[str, str, float]]]  # -> entity, metric, value
INTERVAL = 2  # seconds between two scrapes
LABELS = {"process": "app", "database": "service", "queue": "service", "volume": "service"}  # kind -> label
URL = f"http://{MONITOR}:9090"
NODE_EXPORTER = (
    "prometheus-node-exporter --collector.disable-defaults --collector.cpu --collector.loadavg --collector.meminfo "
    "--collector.filesystem --collector.netdev --collector.netstat --collector.sockstat --collector.filefd "
    # The stage's own volumes lie below /var; every other mount belongs to the machine that it stands on.
    "--collector.filesystem.mount-points-exclude=^/$|^/(?:dev|proc|sys|run|opt|tmp|srv|etc|usr|var/log|var/lib/docker"
    "|root|home|mnt|work)(?:/|$)"
)
# Of node exporter's hundreds of series those that faults turn on: a bundle should be small.
KEPT = (
    "up|[a-z].*_(?:ratio|ms|percent|count|total_fds)|requests_per_second|open_fds|memory_.*|connections.*|locks_.*|.*keys|used_memory"
    "|maxmemory|queue_.*|total_error_replies|connected_clients|free_bytes|cpu_percent"
    "|node_cpu_seconds_total|node_load1|node_memory_Mem(?:Available|Total)_bytes|node_filefd_allocated"
    "|node_filesystem_(?:avail|size)_bytes|node_filesystem_files(?:_free)?|node_filesystem_readonly"
    "|node_network_(?:receive|transmit)_(?:bytes|errs|drop)_total|node_sockstat_TCP_(?:inuse|tw|alloc)"
    "|node_netstat_Tcp_(?:CurrEstab|RetransSegs|OutRsts|AttemptFails)"
)
CONFIG = """global: {{scrape_interval: {interval}s, scrape_timeout: {interval}s}}
scrape_configs:
- job_name: shop
  static_configs: [{{targets: ['{monitor}:9200']}}]
  metric_relabel_configs: [{{source_labels: [__name__], regex: '{kept}', action: keep}}]
- job_name: node
  static_configs: [{{targets: ['{node}:9100']}}]
  metric_relabel_configs: [{{source_labels: [__name__], regex: '{kept}', action: keep}}]
"""


class Monitor:
    """Prometheus with what it scrapes; leaving the stage ends it."""

    def __init__(self, stage: Stage) -> None:
        self.samplers: list[Sampler] = []
        self._page = b""
        threading.Thread(target=self._sample, daemon=True).start()
        stage.start("node-exporter", [*NODE_EXPORTER.split(), "--web.listen-address=0.0.0.0:9100"], log="/run/node.out")
        self._serve()
        self._start_prometheus(stage)

    def _serve(self) -> None:
        monitor = self

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(monitor._page)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer((MONITOR, 9200), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    @staticmethod
    def _start_prometheus(stage: Stage) -> None:
        home = Path("/run/prometheus")
        home.mkdir()
        config = CONFIG.format(interval=INTERVAL, monitor=MONITOR, node=stage.address, kept=KEPT)
        (home / "prometheus.yml").write_text(config, encoding="utf-8")
        with (home / "out").open("wb") as out:
            server = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={home}/prometheus.yml",
                    f"--storage.tsdb.path={home}/data",
                    f"--web.listen-address={MONITOR}:9090",
                ],
                cwd="/",
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        stage.others.append(server)
        wait_for_port(MONITOR, 9090)

    def _sample(self) -> None:
        """Over and over: what is slow to ask for must not hold up whoever scrapes."""
        while True:
            rows = [row for sampler in self.samplers for row in sampler()]
            page = "".join(f"{metric}{{{_label(entity)}}} {value:.6g}\n" for entity, metric, value in rows)
            self._page = page.encode()
            time.sleep(INTERVAL / 2)


def _label(entity: str) -> str:
    kind, _, name = entity.partition(":")
    return f'{LABELS.get(kind, kind)}="{name}"'
