"""proxy.upstream_down: one of two services behind nginx stops and nobody starts it again."""

from __future__ import annotations

from lab import nginx
from lab.load import CANARY, Clients
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.shop import EDGE_NAMES, browse, edge_servers, start_edge_services
from lab.stage import Host, Stage

HOST = Host("edge-1", EDGE_NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    start_edge_services(stage)
    nginx.start(stage, edge_servers("proxy_connect_timeout 2s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), browse, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api"))
    recording.probe("http://edge/api/catalog/1", "catalog-api:8081", "cart-api:8082")
    timeline(recording, None if healthy else lambda: stage.stop("cart-api"))


SCENARIO = Scenario(
    folder="edge-502",
    host=HOST,
    alert=Alert(
        "Edge5xxRatioHigh",
        "502 ratio high on shop.example",
        "About 40 % of the requests at the edge answer 502.",
        {"service": "edge", "instance": "edge-1"},
    ),
    calm=Alert(
        "EdgeSmokeTest",
        "Smoke test of shop.example after a certificate rotation",
        "Planned check: does the edge serve all routes?",
        {"service": "edge", "instance": "edge-1"},
        "info",
    ),
    expected=Expected(
        fault="proxy.upstream_down",
        entities=["cart-api", "10.20.0.17"],
        terms=[
            ["connection refused", "refused", "not listening", "111"],
            ["upstream", "cart-api", "cart api"],
            ["stopped", "down", "not running", "sigterm", "exited", "dead", "unavailable"],
        ],
        tempting="nginx itself or its configuration is broken",
        difficulty="easy",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
    play=play,
    source="lab: proxy_upstream",
)
