"""The part of the shop that several recordings share: orders-api on orders-db, with clients."""

from __future__ import annotations

from lab.load import Clients, Request
from lab.postgres import Database
from lab.stage import Stage, wait_for_port


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
