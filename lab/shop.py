"""The part of the shop that several recordings share: orders-api on orders-db, with clients."""

from __future__ import annotations

from lab.load import Clients, Request
from lab.postgres import Database
from lab.stage import Stage, wait_for_port

EDGE_NAMES = {"edge": "10.20.0.10", "catalog-api": "10.20.0.16", "cart-api": "10.20.0.17"}
EDGE_PORTS = {"catalog-api": 8081, "cart-api": 8082}
KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
SERVERS = """
  upstream catalog {{ server catalog-api:8081; }}
  upstream cart {{ server cart-api:8082; }}
  server {{
    listen {edge}:80;
    server_name shop.example;
    {settings}
    location /api/catalog/ {{ proxy_pass http://catalog; }}
    location /api/cart/ {{ proxy_pass http://cart; }}
  }}
"""


def edge_servers(settings: str) -> str:
    """nginx before two services."""
    return SERVERS.format(edge=EDGE_NAMES["edge"], settings=settings)


def start_edge_services(stage: Stage) -> None:
    """The two services behind the edge."""
    for name, port in EDGE_PORTS.items():
        stage.start_service(name, "catalog_api.py", port)


def browse(number: int) -> Request:
    """Three looks at the catalog, two additions to a cart."""
    if number % 5 < 3:
        return Request("GET", f"/api/catalog/{100 + number % 50}")
    return Request("POST", f"/api/cart/items?api_key={KEY}", {"sku": f"SKU-{number % 40}"})


def order(number: int) -> Request:
    """Mostly reads, every third a new order."""
    if number % 3:
        return Request("GET", f"/api/orders/{1 + number * 7 % 2000}")
    return Request("POST", "/api/orders", {"sku": f"SKU-{1 + number % 40}", "quantity": 1 + number % 3})


def start_orders_api(
    stage: Stage,
    database: Database,
    password: str,
    *,
    hostile: bool = False,
    make: object = None,
    rate: float = 3.0,
    threads: int = 6,
) -> Clients:
    """orders-api with traffic."""
    address = stage.host.addresses["orders-api"]
    stage.start_python(
        "orders-api", "orders_api.py", env={"DATABASE_URL": database.url("orders", password), "LISTEN": address}
    )
    wait_for_port(address, 8080)
    chosen = make if callable(make) else order
    return Clients("orders-api", (address, 8080), chosen, hostile=hostile, rate=rate, threads=threads).start()
