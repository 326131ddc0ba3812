"""network.packets_dropped: a rule drops every third packet to the database, and requests stall."""

from __future__ import annotations

from lab.load import CANARY
from lab.postgres import Database
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import start_orders_api
from lab.stage import Host, Stage

PASSWORD = "Lichen-Fjord-9034"
HOST = Host("db-10", {"orders-api": "10.20.0.11", "orders-db": "10.20.0.21"})
LOSE = (
    f"iptables -A INPUT -d {HOST.addresses['orders-db']} -p tcp --dport 5432 "
    "-m statistic --mode random --probability 0.35 -j DROP"
)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db")
    orders = start_orders_api(stage, database, PASSWORD, hostile=True, threads=12)
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "orders-db"))
    recording.probe("orders-db:5432", "orders-api:8080")
    timeline(recording, None if healthy else lambda: stage.run_ok(LOSE), hurt=35)


SCENARIO = told(
    play,
    "network_loss",
    "orders-api-stalls",
    HOST,
    "orders-api",
    (
        "HttpLatencyP95High",
        "orders-api stalls now and then",
        "p95 latency of orders-api rose from milliseconds to seconds, and some requests fail. orders-db is idle.",
    ),
    ("LatencyReview", "Weekly latency review of orders-api", "Planned review: are orders served fast?"),
    Expected(
        fault="network.packets_dropped",
        entities=["orders-db", "10.20.0.21", "iptables", "network:", "recorded-host"],
        terms=[["packet", "firewall", "iptables", "network"], ["drop", "loss", "lost"]],
        tempting="orders-db is slow: its own log shows no slow statement",
        difficulty="hard",
        must_not_appear=[PASSWORD, CANARY],
    ),
)
