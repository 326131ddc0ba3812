"""Live metrics over a real Prometheus that scrapes a real node exporter and a gauge of the test's own."""

import http.server
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.errors import InvalidToolInput, ToolTimeout, ToolUnavailable
from domain.results import SeriesList, SeriesPoints, SeriesSummaries
from mcp_servers.live.labels import entity_of, metric_of
from mcp_servers.live.metrics import LiveMetrics
from mcp_servers.live.prometheus import Prometheus, duration, step_for
from mcp_servers.live.watch import Watch
from mcp_servers.metrics import metrics
from tests.mcp_servers.live.ask import ask

WATCH = Watch("vm1", back=timedelta(minutes=5))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Shop(http.server.BaseHTTPRequestHandler):
    """A scrape target: a counter, a gauge with labels, and one that must not be read one by one."""

    served = 0

    def do_GET(self) -> None:
        type(self).served += 100
        many = "".join(f'shop_by_user{{user="u{n}"}} {n}\n' for n in range(300))
        body = (
            f'shop_requests_total{{service="cart",code="200"}} {self.served}\n'
            f'shop_queue_length{{service="cart"}} 7\n{many}'
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *of: object) -> None:
        """Says nothing."""


@dataclass(frozen=True)
class Stack:
    """A running Prometheus."""

    url: str
    server: Prometheus


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    for program in ("prometheus", "prometheus-node-exporter"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.mktemp("prometheus")
    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    own, node = free_port(), free_port()
    (folder / "rules.yml").write_text(
        json.dumps({"groups": [{"name": "g", "interval": "1s", "rules": [
            {"alert": "QueueLong", "expr": "shop_queue_length > 5"}]}]})
    )  # fmt: skip
    jobs = [("node", node), ("shop", shop.server_port)]
    scraped = [{"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for job, port in jobs]
    often = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (folder / "p.yml").write_text(json.dumps({"global": often, "rule_files": ["rules.yml"], "scrape_configs": scraped}))
    commands = [
        ["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{node}"],
        ["prometheus", f"--config.file={folder}/p.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{own}"],
    ]  # fmt: skip
    with _running(commands, folder):
        url = f"http://127.0.0.1:{own}"
        server = Prometheus(url)
        _until_firing(server)
        yield Stack(url, server)
    shop.shutdown()
    shop.server_close()


@contextmanager
def _running(commands: list[list[str]], folder: Path) -> Iterator[None]:
    with (folder / "out").open("wb") as out:
        started = [subprocess.Popen(command, stdout=out, stderr=out, cwd=folder) for command in commands]
        try:
            yield
        finally:
            for one in started:
                one.terminate()
            for one in started:
                one.wait(10)


def _until_firing(server: Prometheus) -> None:
    end = time.monotonic() + 40
    while time.monotonic() < end:
        try:
            found = server.range("node_load1", WATCH.start, WATCH.end, 1)
            if server.alerts() and found and len(found[0].points) > 4:
                return
        except (ToolUnavailable, ToolTimeout):
            pass
        time.sleep(0.3)
    pytest.fail("Prometheus did not get ready")


def short(stack: Stack) -> LiveMetrics:
    return LiveMetrics(stack.server, Watch("vm1", back=timedelta(minutes=5)))


@pytest.fixture
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step as short as the scrapes, so that some seconds give some points."""
    monkeypatch.setattr("mcp_servers.live.prometheus._LEAST_STEP", 1)
    monkeypatch.setattr("mcp_servers.live.metrics.MOST_POINTS", 400)


async def test_series_have_the_entity_of_their_labels_and_counters_are_rates(stack: Stack, fine: None) -> None:
    found = await ask(metrics(short(stack)), SeriesList, "metrics_list")
    by_entity = {(one.entity, one.metric) for one in found.series}
    assert ("cart", "shop_queue_length") in by_entity
    assert ("cart", 'shop_requests_total{code="200"}') in by_entity
    assert any(entity == "vm1" and metric == "node_load1" for entity, metric in by_entity)
    rate = await ask(metrics(short(stack)), SeriesPoints, "metrics_range", entity="cart", metric="shop_requests_total")
    values = [value for _, value in rate.points]
    assert values and 20 < sum(values) / len(values) < 400  # a hundred a scrape, a scrape a second


async def test_a_metric_with_too_many_series_is_left_out_and_named(stack: Stack, fine: None) -> None:
    found = await ask(metrics(short(stack)), SeriesSummaries, "metrics_anomalies", moment=WATCH.end.isoformat())
    assert found.series
    assert any("shop_by_user" in problem for problem in found.searched.problems)
    asked = await ask(metrics(short(stack)), SeriesList, "metrics_list", metric="shop_queue")
    assert [one.metric for one in asked.series] == ["shop_queue_length"]


def test_alerts_rules_series_and_instant_queries_are_answered(stack: Stack) -> None:
    assert stack.server.alerts()[0]["labels"]["alertname"] == "QueueLong"
    assert stack.server.rules()[0]["query"] == "shop_queue_length > 5"
    (series,) = stack.server.series("shop_queue_length", WATCH.start, WATCH.end)
    assert series["job"] == "shop"
    assert [one.points[0][1] for one in stack.server.instant("shop_queue_length", WATCH.end)] == [7.0]


def test_the_step_is_no_shorter_than_the_slowest_scrape(stack: Stack) -> None:
    assert stack.server.interval() == 1
    assert [duration(text) for text in ("15s", "1m30s", "500ms", "")] == [15.0, 90.0, 0.5, 0.0]
    end = WATCH.end
    assert step_for(end - timedelta(minutes=2), end) == 15
    assert step_for(end - timedelta(minutes=2), end, least=2) == 2
    assert step_for(end - timedelta(hours=1), end, least=2) == 15


def test_too_many_points_are_refused_before_the_query_is_sent(stack: Stack) -> None:
    away, end = Prometheus("http://127.0.0.1:9"), WATCH.end
    with pytest.raises(InvalidToolInput, match="too many"):
        away.range("up", end - timedelta(days=30), end, 15)
    assert step_for(end - timedelta(days=30), end) == 10_800


def test_a_query_that_prometheus_does_not_take_is_told_with_its_reason(stack: Stack) -> None:
    with pytest.raises(InvalidToolInput, match="bad_data"):
        stack.server.instant("rate(", WATCH.end)


async def test_a_prometheus_that_is_down_is_a_problem_and_none_at_all_is_no_data() -> None:
    down = await ask(metrics(LiveMetrics(Prometheus("http://127.0.0.1:9"), WATCH)), SeriesList, "metrics_list")
    assert down.series == () and "127.0.0.1:9" in down.searched.problems[0]
    none = await ask(metrics(LiveMetrics(None, WATCH)), SeriesList, "metrics_list")
    assert none.searched.problems == () and "no Prometheus" in none.searched.source


@pytest.mark.parametrize(("body", "said"), [(b"<html>", "no Prometheus document"), (b" " * (65 << 20), "longer than")])
def test_a_server_that_answers_garbage_or_too_much_is_unavailable(body: bytes, said: str) -> None:
    class Odd(Shop):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

    with _served(Odd) as url, pytest.raises(ToolUnavailable, match=said):
        Prometheus(url).instant("up", WATCH.end)


def test_a_server_that_hangs_is_out_of_time() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        with pytest.raises(ToolTimeout):
            Prometheus(f"http://127.0.0.1:{mute.getsockname()[1]}", seconds=0.3).instant("up", WATCH.end)


@contextmanager
def _served(handler: Any) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_labels_name_the_container_the_pod_the_service_or_the_host() -> None:
    cadvisor = {"__name__": "container_memory_usage_bytes", "name": "shop-api", "instance": "cadvisor:8080", "id": "/x"}
    assert entity_of(cadvisor, "vm1") == "shop-api"
    assert metric_of(cadvisor, "shop-api") == "container_memory_usage_bytes"
    node = {"__name__": "node_cpu_seconds_total", "instance": "localhost:9100", "cpu": "0", "mode": "idle"}
    assert entity_of(node, "vm1") == "vm1"
    assert metric_of(node, "vm1") == 'node_cpu_seconds_total{cpu="0",mode="idle"}'
    assert entity_of({"__name__": "node_load1", "instance": "db1:9100"}, "vm1") == "db1"
    assert entity_of({"__name__": "up", "job": "redis", "instance": "cache:9121"}, "vm1") == "cache"
    assert entity_of({"__name__": "x", "job": "api", "instance": "127.0.0.1:80"}, "vm1") == "api"
