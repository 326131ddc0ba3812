"""credentials.wrong_password: the database password is rotated, and one service keeps the old one."""

from __future__ import annotations

from pathlib import Path

from lab.load import CANARY
from lab.postgres import DATA, Database
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import start_orders_api
from lab.stage import Host, Stage

OLD, NEW = "Juniper-Tide-4410", "Saffron-Gate-7723"
HOST = Host("db-5", {"orders-api": "10.20.0.11", "orders-db": "10.20.0.21"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db", settings={"log_statement": "none"})
    database.execute(f"alter role orders password '{OLD}'")
    Path(DATA, "pg_hba.conf").write_text(
        "host all orders 0.0.0.0/0 scram-sha-256\nhost all all 0.0.0.0/0 trust\n", encoding="utf-8"
    )
    database.execute("select pg_reload_conf()")
    orders = start_orders_api(stage, database, OLD, hostile=True)
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "orders-db"))
    recording.probe("orders-db:5432", "http://orders-api:8080/api/orders/1")
    timeline(recording, None if healthy else lambda: database.execute(f"alter role orders password '{NEW}'"))


SCENARIO = told(
    play,
    "credentials_rotated",
    "orders-api-500",
    HOST,
    "orders-api",
    (
        "HttpErrorRatioHigh",
        "orders-api answers every request with status 500",
        "All requests to orders-api fail at once, reads and writes. The process is up.",
    ),
    ("ScheduledHealthCheck", "Check orders-api after the quarterly audit", "Planned check: is orders-api serving?"),
    Expected(
        fault="credentials.wrong_password",
        entities=["orders-api", "orders-db", "user:orders", "shop"],
        terms=[
            ["password authentication failed", "wrong password", "password", "credential"],
            ["rejected", "refused", "failed", "wrong", "rotated", "changed"],
        ],
        tempting="orders-db is down: it runs and takes connections",
        difficulty="easy",
        must_not_appear=[OLD, CANARY],
    ),
)
