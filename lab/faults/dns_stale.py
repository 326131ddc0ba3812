"""dns.stale_address: a service moves, its name follows, and nginx keeps the address it resolved at its start."""

from __future__ import annotations

import signal

from lab import dnsmasq, nginx
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import browse, edge_servers
from lab.stage import Host, Stage, wait_for_port

OLD, NEW = "10.20.0.17", "10.20.0.37"
HOST = Host("edge-5", {"edge": "10.20.0.10", "catalog-old": "10.20.0.16", "cart-old": OLD, "cart-new": NEW})
ZONE = {"catalog-api": "10.20.0.16", "cart-api": OLD}


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    dnsmasq.start(stage, ZONE)
    start(stage, "catalog-api", ZONE["catalog-api"], 8081)
    start(stage, "cart-api", OLD, 8082)
    nginx.start(stage, edge_servers("proxy_connect_timeout 2s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), browse, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api", "resolver"))
    recording.probe("http://edge/api/catalog/1", "catalog-api:8081", "http://cart-api:8082/health")

    def cause() -> None:
        stage.stop("cart-api")
        start(stage, "cart-api", NEW, 8082)
        dnsmasq.publish({**ZONE, "cart-api": NEW})
        stage.kill("resolver", signal.SIGHUP)
        if healthy:
            stage.kill("nginx", signal.SIGHUP)

    timeline(recording, cause)


def start(stage: Stage, name: str, address: str, port: int) -> None:
    stage.start_python(name, "catalog_api.py", env={"NAME": name, "LISTEN": address, "PORT": str(port)})
    wait_for_port(address, port)


SCENARIO = told(
    play,
    "dns_stale",
    "cart-502-after-move",
    HOST,
    "edge",
    (
        "Edge5xxRatioHigh",
        "502 ratio high on shop.example since a move",
        "About 40 % of the requests at the edge answer 502. cart-api was moved and reports itself healthy.",
    ),
    ("MoveFollowUp", "Follow-up to the move of cart-api", "Planned check: does the edge serve all routes?"),
    Expected(
        fault="dns.stale_address",
        entities=["edge", "nginx", "nginx-error", "cart-api", OLD],
        terms=[
            ["stale", "old address", "no longer", "moved", "resolved", "cached", "resolves"],
            ["address", "10.20.0.17", "10.20.0.37", "dns", "name"],
        ],
        tempting="cart-api is down: it answers at its new address",
        difficulty="hard",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
