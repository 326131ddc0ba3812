"""process.port_in_use: a forgotten process holds the port when a service is restarted, and answers in its place."""

from __future__ import annotations

from lab import nginx
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import EDGE_NAMES, browse, edge_servers, start_edge_services
from lab.stage import Host, Stage, wait_for_port

HOST = Host("edge-6", EDGE_NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    start_edge_services(stage)
    nginx.start(stage, edge_servers("proxy_connect_timeout 2s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), browse, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api"))
    recording.probe("http://edge/api/catalog/1", "http://cart-api:8082/health")

    def cause() -> None:
        stage.stop("cart-api")
        cart = HOST.addresses["cart-api"]
        if not healthy:
            stage.start_python("cart-debug", "cart_debug.py", env={"LISTEN": cart, "PORT": "8082"})
            wait_for_port(cart, 8082)
        stage.start_python("cart-api", "catalog_api.py", env={"NAME": "cart-api", "LISTEN": cart, "PORT": "8082"})
        wait_for_port(cart, 8082)

    timeline(recording, cause)


SCENARIO = told(
    play,
    "process_port",
    "cart-errors-after-release",
    HOST,
    "edge",
    (
        "Edge5xxRatioHigh",
        "5xx ratio high on shop.example since a release",
        "About 40 % of the requests at the edge fail.",
    ),
    ("ReleaseFollowUp", "Follow-up to a release of cart-api", "Planned check: does the edge serve all routes?"),
    Expected(
        fault="process.port_in_use",
        entities=["cart-api", "cart-debug", "cart_debug", "10.20.0.17"],
        terms=[
            ["address already in use", "port", "errno 98", "eaddrinuse"],
            ["in use", "taken", "held", "holds", "occupied", "bind"],
        ],
        tempting="the new release of cart-api is broken",
        difficulty="medium",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
