"""cache.maxmemory: carts without an end of life fill a Redis that may not evict."""

from __future__ import annotations

from lab import redis
from lab.load import CANARY, Clients, Request
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.stage import Host, Stage

PASSWORD = "tw1n-Lantern-88"
NAMES = {"cart-api": "10.20.0.17", "cart-store": "10.20.0.22"}


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    info = redis.start(stage, "cart-store", "--save", "", "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
    address = stage.start_service(
        "cart-api", "cart_api.py", 8080, env={"STORE": "cart-store", "STORE_PASSWORD": PASSWORD}
    )
    clients = Clients("cart-api", address, visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, info, processes(stage, "cart-api", "cart-store"))

    def cause() -> None:
        Clients("cart-api", address, wish_list, rate=6).start()

    recording.probe("cart-store:6379", "http://cart-api:8080/cart/1")
    timeline(recording, None if healthy else cause, hurt=40)


def visit(number: int) -> Request:
    if number % 2:
        return Request("GET", f"/cart/{number % 60}")
    return Request("PUT", f"/cart/{(number - 1) % 60}", {"items": "SKU-1:2,SKU-7:1," * 20})


def wish_list(number: int) -> Request:
    """A partner's import: big carts, a new key each."""
    return Request("PUT", f"/cart/partner-{number}", {"items": f"SKU-{number % 40}:1," * 4000})


SCENARIO = Scenario(
    folder="cart-saves-fail",
    host=Host("cart-1", NAMES),
    alert=Alert(
        "CartSaveErrors",
        "Carts can be read but not saved",
        "PUT /cart answers 500 for most clients; GET is fine.",
        {"service": "cart-api", "instance": "cart-1"},
    ),
    calm=Alert(
        "CartMemoryReview",
        "Capacity review of cart-store",
        "Weekly review: is cart-api serving, is anything short?",
        {"service": "cart-api", "instance": "cart-1"},
        "info",
    ),
    expected=Expected(
        fault="cache.maxmemory",
        entities=["cart-store", "redis", "redis-server"],
        terms=[
            ["maxmemory", "oom command", "memory limit", "used memory", "out of memory"],
            ["noeviction", "evict", "no ttl", "without ttl", "reached", "exceeded", "full", "not allowed"],
        ],
        tempting="a bug in cart-api's save path",
        difficulty="easy",
        must_not_appear=[PASSWORD, CANARY],
    ),
    play=play,
    source="lab: cache_memory",
)
