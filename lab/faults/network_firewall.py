"""network.firewall_drop: a new firewall rule swallows the packets to the database; the database itself is well."""

from __future__ import annotations

from lab.load import CANARY
from lab.postgres import Database
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.shop import start_orders_api
from lab.stage import Host, Stage

PASSWORD = "Cobalt-Fern-5518"
NAMES = {"orders-api": "10.20.0.11", "orders-db": "10.20.0.21"}
ALLOW = f"iptables -A INPUT -d {NAMES['orders-api']} -p tcp --dport 8080 -j ACCEPT"
DROP = f"iptables -A INPUT -d {NAMES['orders-db']} -p tcp --dport 5432 -m conntrack --ctstate NEW -j DROP"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    database = Database(stage, "orders-db")
    orders = start_orders_api(stage, database, PASSWORD, hostile=True, threads=12)
    recording.watch(orders.sample, database.sampler(), processes(stage, "orders-api", "orders-db"))
    stage.run_ok(ALLOW)
    recording.probe("orders-db:5432", "http://orders-api:8080/api/orders/1")
    timeline(recording, None if healthy else lambda: stage.run_ok(DROP), hurt=40)


SCENARIO = Scenario(
    folder="orders-api-hangs",
    host=Host("db-4", NAMES),
    alert=Alert(
        "HttpErrorRatioHigh",
        "orders-api answers late and with status 500",
        "Every request to orders-api takes 3 s and fails. The process is up and takes connections.",
        {"service": "orders-api", "instance": "db-4"},
    ),
    calm=Alert(
        "ScheduledHealthCheck",
        "Check orders-api after hardening of the host",
        "Planned check: is orders-api still serving normally?",
        {"service": "orders-api", "instance": "db-4"},
        "info",
    ),
    expected=Expected(
        fault="network.firewall_drop",
        entities=["orders-db", "10.20.0.21", "iptables", "db-4", "network:"],
        terms=[
            ["firewall", "iptables", "packet filter", "drop rule", "drop"],
            ["drop", "block", "timeout", "timed out", "5432", "unreachable"],
        ],
        tempting="orders-db is down or out of connections: it runs, listens and logs nothing",
        difficulty="hard",
        must_not_appear=[PASSWORD, CANARY],
    ),
    play=play,
    source="lab: network_firewall",
)
