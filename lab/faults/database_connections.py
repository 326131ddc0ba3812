"""database.connections_exhausted: a worker keeps a connection for every report that failed."""

from __future__ import annotations

from lab.load import CANARY, Clients, Request
from lab.postgres import Database
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.shop import start_orders_api
from lab.stage import Host, Stage, wait_for_port

PASSWORD = "vR7-quiet-harbor"
NAMES = {"orders-api": "10.20.0.11", "report-worker": "10.20.0.12", "orders-db": "10.20.0.21"}


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db", settings={"max_connections": "22"})
    orders = start_orders_api(stage, database, PASSWORD, hostile=True)
    worker = NAMES["report-worker"]
    stage.start_python(
        "report-worker", "report_worker.py", env={"DATABASE_URL": database.url("reports", PASSWORD), "LISTEN": worker}
    )
    wait_for_port(worker, 8090)
    Clients("report-worker", (worker, 8090), lambda _: Request("POST", "/reports/sales"), rate=0.5).start()
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "report-worker", "orders-db"))

    def cause() -> None:
        Clients("report-worker", (worker, 8090), lambda _: Request("POST", "/reports/returns"), rate=1).start()

    recording.probe("orders-db:5432", "http://orders-api:8080/api/orders/1")
    timeline(recording, None if healthy else cause)


SCENARIO = Scenario(
    folder="orders-api-5xx",
    host=Host("db-1", NAMES),
    alert=Alert(
        "HttpErrorRatioHigh",
        "5xx ratio high on orders-api",
        "More than 20 % of the requests to orders-api answer with a 5xx status.",
        {"service": "orders-api", "instance": "db-1"},
    ),
    calm=Alert(
        "ScheduledHealthCheck",
        "Check orders-api after the maintenance window",
        "Planned check after maintenance: is orders-api serving normally?",
        {"service": "orders-api", "instance": "db-1"},
        "info",
    ),
    expected=Expected(
        fault="database.connections_exhausted",
        entities=["orders-db", "report-worker", "shop"],
        terms=[
            ["connection"],
            ["too many clients", "exhaust", "max_connections", "limit", "slots", "used up", "leak"],
            ["report-worker", "report worker", "idle", "not closed", "never closed"],
        ],
        tempting="orders-api is broken or orders-db is down: it is up, but has no free slot",
        must_not_appear=[PASSWORD, CANARY],
    ),
    play=play,
    source="lab: database_connections",
)
