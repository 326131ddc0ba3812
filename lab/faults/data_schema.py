"""data.schema_mismatch: a migration takes away a column that the running release still writes."""

from __future__ import annotations

from lab.load import CANARY
from lab.postgres import Database
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import start_orders_api
from lab.stage import Host, Stage

PASSWORD = "Ember-Canal-1187"
HOST = Host("db-9", {"orders-api": "10.20.0.11", "orders-db": "10.20.0.21"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db", settings={"log_statement": "ddl"})
    orders = start_orders_api(stage, database, PASSWORD, hostile=True)
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "orders-db"))
    recording.probe("orders-db:5432", "http://orders-api:8080/api/orders/1")
    change = "alter table orders add column channel text" if healthy else "alter table orders drop column note"
    timeline(recording, lambda: database.execute(change, "shop"))


SCENARIO = told(
    play,
    "data_schema",
    "new-orders-500",
    HOST,
    "orders-api",
    (
        "OrderCreationFailing",
        "New orders answer 500, old ones can be read",
        "A third of the requests to orders-api fail: those that place an order.",
    ),
    ("MigrationCheck", "Check of orders-api after a migration", "Planned check: can orders be placed?"),
    Expected(
        fault="data.schema_mismatch",
        entities=["orders-api", "orders-db", "shop", "orders"],
        terms=[
            ["column", "schema", "migration", "relation"],
            ["does not exist", "missing", "dropped", "mismatch", "not fit", "undefined"],
        ],
        tempting="the last deploy of orders-api: there was none",
        difficulty="medium",
        must_not_appear=[PASSWORD, CANARY],
    ),
)
