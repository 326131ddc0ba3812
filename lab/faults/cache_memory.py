"""cache.maxmemory: carts without an end of life fill a Redis that may not evict."""

from __future__ import annotations

from collections.abc import Iterable

from lab.load import CANARY, Clients, Request
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.stage import Host, Stage, wait_for_port

PASSWORD = "tw1n-Lantern-88"
NAMES = {"cart-api": "10.20.0.17", "cart-store": "10.20.0.22"}
CLI = "redis-cli -h cart-store"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    stage.start(
        "cart-store",
        [
            "redis-server",
            "--bind",
            NAMES["cart-store"],
            "--protected-mode",
            "no",
            "--save",
            "",
            "--maxmemory",
            "8mb",
            "--maxmemory-policy",
            "noeviction",
        ],
    )
    wait_for_port(NAMES["cart-store"], 6379)
    stage.start_python(
        "cart-api", "cart_api.py", env={"STORE": "cart-store", "STORE_PASSWORD": PASSWORD, "LISTEN": NAMES["cart-api"]}
    )
    address = (NAMES["cart-api"], 8080)
    wait_for_port(*address)
    clients = Clients("cart-api", address, visit, rate=4, hostile=True).start()

    def store() -> Iterable[tuple[str, str, float]]:
        said = dict(row.strip().split(":", 1) for row in stage.run(f"{CLI} info").splitlines() if ":" in row)
        for metric in ("used_memory", "maxmemory", "connected_clients", "evicted_keys", "total_error_replies"):
            if metric in said:
                yield "service:cart-store", metric, float(said[metric])

    recording.watch(clients.sample, store, processes(stage, "cart-api", "cart-store"))
    recording.edges = [("cart-api", "cart-store")]

    def cause() -> None:
        Clients("cart-api", address, wish_list, rate=6).start()

    timeline(recording, None if healthy else cause, hurt=40)
    recording.capture(
        "date -u",
        f"{CLI} info memory",
        f"{CLI} config get 'maxmemory*'",
        f"{CLI} info stats | grep -E 'evicted|expired|error'",
        f"{CLI} info errorstats",
        f"{CLI} dbsize",
        f"{CLI} ttl cart:1",
        "ps -eo pid,user,etimes,rss,args",
        "free -m",
        "df -h /srv",
    )


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
