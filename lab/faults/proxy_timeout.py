"""proxy.upstream_timeout: one service behind nginx is stopped by a signal and holds every connection."""

from __future__ import annotations

import signal

from lab import nginx
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import EDGE_NAMES, browse, edge_servers, start_edge_services
from lab.stage import Host, Stage

HOST = Host("edge-2", EDGE_NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    start_edge_services(stage)
    nginx.start(stage, edge_servers("proxy_connect_timeout 2s; proxy_read_timeout 3s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), browse, rate=4, threads=16, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api"))
    recording.probe("http://edge/api/catalog/1", "http://catalog-api:8081/health", "http://cart-api:8082/health")
    timeline(recording, None if healthy else lambda: stage.kill("cart-api", signal.SIGSTOP))


SCENARIO = told(
    play,
    "proxy_timeout",
    "edge-504",
    HOST,
    "edge",
    (
        "Edge5xxRatioHigh",
        "504 ratio high on shop.example",
        "About 40 % of the requests at the edge answer 504 after 3 s.",
    ),
    ("EdgeSmokeTest", "Smoke test of shop.example", "Planned check: does the edge serve all routes?"),
    Expected(
        fault="proxy.upstream_timeout",
        entities=["cart-api", "10.20.0.17"],
        terms=[
            ["timed out", "timeout", "no answer", "does not answer", "hang", "stopped", "suspended"],
            ["cart", "upstream", "process", "10.20.0.17"],
        ],
        tempting="nginx or the network is slow: catalog-api behind the same nginx is fast",
        difficulty="medium",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
