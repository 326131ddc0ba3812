"""cache.persistence_failed: Redis may no longer write into its folder, and refuses every write."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab import redis
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage

PASSWORD = "slow-Comet-51x"
DATA = "/var/lib/redis"
HOST = Host("cart-2", {"cart-api": "10.20.0.17", "cart-store": "10.20.0.22"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    Path(DATA).mkdir()
    shutil.chown(DATA, "nobody")
    info = redis.start(stage, "cart-store", "--dir", DATA, "--save", "5 10", user="nobody")
    address = stage.start_service(
        "cart-api", "cart_api.py", 8080, env={"STORE": "cart-store", "STORE_PASSWORD": PASSWORD}
    )
    clients = Clients("cart-api", address, visit, rate=6, hostile=True).start()
    recording.watch(clients.sample, info, processes(stage, "cart-api", "cart-store"))
    recording.probe("cart-store:6379", "cart-api:8080")
    timeline(recording, None if healthy else lambda: stage.run_ok(f"chown root:root {DATA}; chmod 755 {DATA}"), hurt=40)


def visit(number: int) -> Request:
    if number % 2:
        return Request("GET", f"/cart/{number % 60}")
    return Request("PUT", f"/cart/{(number - 1) % 60}", {"items": "SKU-1:2,SKU-7:1"})


SCENARIO = told(
    play,
    "cache_persistence",
    "carts-not-saved",
    HOST,
    "cart-api",
    ("CartErrorRatioHigh", "Carts are not saved", "Half of the requests to cart-api fail: those that change a cart."),
    ("CartReview", "Weekly review of cart-api", "Planned review: are carts saved?"),
    Expected(
        fault="cache.persistence_failed",
        entities=["cart-store", "redis"],
        terms=[
            ["misconf", "rdb", "snapshot", "persist", "background sav", "save"],
            ["permission denied", "permission", "cannot", "failed", "refuses"],
        ],
        tempting="Redis is out of memory",
        difficulty="medium",
        must_not_appear=[PASSWORD, CANARY],
    ),
)
