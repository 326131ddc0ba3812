"""network.loopback_only: a service comes back from a restart bound to loopback alone."""

from __future__ import annotations

from lab import nginx
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import EDGE_NAMES, browse, edge_servers, start_edge_services
from lab.stage import Host, Stage, wait_for_port

HOST = Host("edge-4", EDGE_NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    start_edge_services(stage)
    nginx.start(stage, edge_servers("proxy_connect_timeout 2s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), browse, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api"))
    recording.probe("http://edge/api/catalog/1", "catalog-api:8081", "cart-api:8082")

    def cause() -> None:
        stage.stop("cart-api")
        address = HOST.addresses["cart-api"] if healthy else "127.0.0.1"
        stage.start_python("cart-api", "catalog_api.py", env={"NAME": "cart-api", "LISTEN": address, "PORT": "8082"})
        wait_for_port(address, 8082)

    timeline(recording, cause)


SCENARIO = told(
    play,
    "network_loopback",
    "cart-502-after-restart",
    HOST,
    "edge",
    (
        "Edge5xxRatioHigh",
        "502 ratio high on shop.example since a restart",
        "About 40 % of the requests at the edge answer 502. cart-api was restarted and its process runs.",
    ),
    ("RestartFollowUp", "Follow-up to a restart of cart-api", "Planned check: does the edge serve all routes?"),
    Expected(
        fault="network.loopback_only",
        entities=["cart-api", "10.20.0.17"],
        terms=[["127.0.0.1", "loopback", "localhost"], ["listen", "bound", "bind", "refused"]],
        tempting="cart-api is down: its process runs",
        difficulty="hard",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
