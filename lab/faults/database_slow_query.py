"""database.slow_query: an index is dropped, and every look-up reads the whole table."""

from __future__ import annotations

from lab.load import CANARY, Clients, Request
from lab.postgres import Database
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage

PASSWORD = "Walnut-Drift-0915"
HOST = Host("db-6", {"history-api": "10.20.0.31", "history-db": "10.20.0.21"})
TABLE = (
    "create table history as select i as id, 'C' || i % 50000 as customer, md5(i::text) || md5((i + 1)::text) as note "
    "from generate_series(1, 1200000) i"
)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(
        stage, "history-db", settings={"log_min_duration_statement": "200ms", "max_parallel_workers_per_gather": "0"}
    )
    for statement in (TABLE, "create index history_customer on history (md5(customer))", "analyze history"):
        database.execute(statement, "shop")
    database.execute("grant select on history to orders", "shop")
    address = stage.start_service(
        "history-api", "history_api.py", 8080, env={"DATABASE_URL": database.url("orders", PASSWORD)}
    )
    clients = Clients("history-api", address, visit, rate=3, threads=10, hostile=True).start()
    recording.watch(clients.sample, database.sampler(), processes(stage, "history-api", "history-db"))
    recording.probe("history-db:5432", "history-api:8080")
    timeline(recording, None if healthy else lambda: database.execute("drop index history_customer", "shop"))


def visit(number: int) -> Request:
    return Request("GET", f"/history/C{number * 37 % 50000}")


SCENARIO = told(
    play,
    "database_slow_query",
    "history-api-slow",
    HOST,
    "history-api",
    (
        "HttpLatencyP95High",
        "history-api answers late",
        "p95 latency of history-api rose from milliseconds to hundreds of them; no request fails yet.",
        "warning",
    ),
    ("LatencyReview", "Weekly latency review of history-api", "Planned review: are look-ups fast?"),
    Expected(
        fault="database.slow_query",
        entities=["history-db", "query:", "history", "shop"],
        terms=[
            ["slow", "duration", "took", "seconds", "ms", "long"],
            ["query", "statement", "select", "index", "sequential scan", "scan"],
        ],
        tempting="history-api itself needs more processes",
        difficulty="medium",
        must_not_appear=[PASSWORD, CANARY],
    ),
)
