"""disk.full: exports that nobody removes fill the volume that the database is on."""

from __future__ import annotations

from lab.load import CANARY, Request
from lab.postgres import Database
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.shop import start_orders_api
from lab.stage import Host, Stage

PASSWORD = "Glass-otter-2291"
VOLUME = "/var/lib/postgresql"
NAMES = {"orders-api": "10.20.0.11", "orders-archive": "10.20.0.14", "orders-db": "10.20.0.21"}


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(
        stage,
        "orders-db",
        orders=30000,
        settings={
            "min_wal_size": "32MB",
            "max_wal_size": "48MB",
            "wal_level": "minimal",
            "max_wal_senders": "0",
            "log_statement": "none",
        },
    )
    orders = start_orders_api(stage, database, PASSWORD, hostile=True, make=order, rate=4)
    stage.start_python(
        "orders-archive",
        "archive_orders.py",
        env={
            "DATABASE_URL": database.url("orders", PASSWORD),
            "FOLDER": f"{VOLUME}/archive",
            "PAUSE": "5",
            **({"KEEP": "2"} if healthy else {}),
        },
    )
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "orders-archive", "orders-db"))
    recording.probe("http://orders-api:8080/api/orders/1", "orders-db:5432")
    timeline(recording, None, hurt=45)


def order(number: int) -> Request:
    """Half of them new orders with a long note: the table must grow."""
    if number % 2:
        return Request("GET", f"/api/orders/{1 + number * 7 % 2000}")
    note = "".join(f"{number * 7919 * i % 1000003:06d}" for i in range(1, 300))
    return Request("POST", "/api/orders", {"sku": f"SKU-{1 + number % 40}", "quantity": 1, "note": note})


SCENARIO = Scenario(
    folder="order-creation-fails",
    host=Host("db-3", NAMES, {VOLUME: "208m"}),
    alert=Alert(
        "OrderCreationFailing",
        "New orders fail with status 500",
        "More than half of the POST requests to /api/orders fail; no deploy today.",
        {"service": "orders-api", "instance": "db-3"},
    ),
    calm=Alert(
        "NightlyArchiveCheck",
        "Check orders-api while the archive job runs",
        "Planned check: does orders-api keep working while orders-archive exports?",
        {"service": "orders-api", "instance": "db-3"},
        "info",
    ),
    expected=Expected(
        fault="disk.full",
        entities=["orders-db", "orders-archive", "/var/lib/postgresql", "db-3", "volume:", "disk:"],
        terms=[
            ["no space left", "disk full", "disk is full", "volume is full", "full", "100%", "100 %", "out of space"],
            ["archive", "export", "/var/lib/postgresql"],
        ],
        tempting="a bug in orders-api, or a corrupt database",
        difficulty="easy",
        must_not_appear=[PASSWORD, CANARY],
    ),
    play=play,
    source="lab: disk_full",
)
