"""database.lock_wait: an import waits for a supplier inside its transaction, and orders wait for its row locks."""

from __future__ import annotations

import signal

from lab.load import CANARY
from lab.postgres import Database
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.shop import start_orders_api
from lab.stage import Host, Stage, wait_for_port

PASSWORD = "maple-7-corridor-Kx"
NAMES = {
    "orders-api": "10.20.0.11",
    "price-import": "10.20.0.13",
    "orders-db": "10.20.0.21",
    "supplier-feed": "10.20.0.70",
}


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db")
    orders = start_orders_api(stage, database, PASSWORD, hostile=True, threads=12)
    stage.start_python("supplier-feed", "supplier_feed.py", env={"LISTEN": NAMES["supplier-feed"]})
    wait_for_port(NAMES["supplier-feed"], 9400)
    stage.start_python(
        "price-import",
        "price_import.py",
        env={"DATABASE_URL": database.url("orders", PASSWORD), "FEED": "supplier-feed"},
    )
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "price-import", "orders-db"))

    recording.probe("orders-db:5432", "supplier-feed:9400")
    timeline(recording, None if healthy else lambda: stage.kill("supplier-feed", signal.SIGUSR1), hurt=45)


SCENARIO = Scenario(
    folder="orders-api-slow",
    host=Host("db-2", NAMES),
    alert=Alert(
        "HttpLatencyP95High",
        "p95 latency of orders-api above 3 s",
        "Order creation is slow or fails; reading orders is as fast as ever.",
        {"service": "orders-api", "instance": "db-2"},
    ),
    calm=Alert(
        "SlowRequestWarning",
        "orders-api: slow request ratio to be confirmed",
        "An hourly check asks whether orders-api answers in time.",
        {"service": "orders-api", "instance": "db-2"},
        "warning",
    ),
    expected=Expected(
        fault="database.lock_wait",
        entities=["price-import", "orders-db", "shop", "query:", "products"],
        terms=[
            ["lock"],
            [
                "idle in transaction",
                "open transaction",
                "long transaction",
                "uncommitted",
                "transaction open",
                "holds",
                "held",
                "blocked by",
                "blocks",
                "blocking",
            ],
            ["price-import", "price import", "update products set price"],
        ],
        tempting="the database is overloaded or orders-api is slow by itself",
        difficulty="medium",
        must_not_appear=[PASSWORD, CANARY],
    ),
    play=play,
    source="lab: database_lock_wait",
)
