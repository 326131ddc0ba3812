"""proxy.request_too_large: nginx is reloaded with a smaller limit for bodies than its clients send."""

from __future__ import annotations

import signal

from lab import nginx
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import EDGE_NAMES, browse, edge_servers, start_edge_services
from lab.stage import Host, Stage

HOST = Host("edge-3", EDGE_NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    start_edge_services(stage)
    nginx.start(stage, edge_servers("proxy_read_timeout 3s;"), HOST.addresses["edge"], 80)
    clients = Clients("edge", (HOST.addresses["edge"], 80), visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", "catalog-api", "cart-api"))
    recording.probe("http://edge/api/catalog/1", "http://cart-api:8082/health")

    def cause() -> None:
        limit = "proxy_read_timeout 3s;" if healthy else "proxy_read_timeout 3s; client_max_body_size 8k;"
        nginx.configure(edge_servers(limit))
        stage.kill("nginx", signal.SIGHUP)

    timeline(recording, cause)


def visit(number: int) -> Request:
    if number % 3:
        return browse(number)
    return Request("POST", "/api/cart/import", {"items": "SKU-1:2,SKU-7:1," * 1500})


SCENARIO = told(
    play,
    "proxy_body_limit",
    "cart-import-fails",
    HOST,
    "edge",
    (
        "CartImportFailing",
        "Large carts cannot be imported",
        "Imports of carts fail at the edge since a reload; the rest works.",
    ),
    ("ReloadFollowUp", "Follow-up to a reload of the edge", "Planned check: does the edge serve all routes?"),
    Expected(
        fault="proxy.request_too_large",
        entities=["edge", "nginx", "nginx-error", "shop.example", "cart-api"],
        terms=[
            ["too large", "413", "client_max_body_size", "body size", "too big"],
            ["body", "request", "upload", "entity", "limit"],
        ],
        tempting="cart-api rejects the imports: they never reach it",
        difficulty="easy",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
