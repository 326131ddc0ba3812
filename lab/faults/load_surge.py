"""load.surge: ten times the usual requests come in, and the few workers of a service turn most of them away."""

from __future__ import annotations

from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage

TOKEN = "glpat-Wm2Rt8Xz5Kq1Lv7Bn4Pd"
HOST = Host("seat-1", {"seat-api": "10.20.0.43"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    address = stage.start_service("seat-api", "seat_api.py", 8080, env={"TOKEN": TOKEN, "WORKERS": "3"})
    clients = Clients("seat-api", address, visit, rate=4, hostile=True)
    recording.watch(clients.start().sample, processes(stage, "seat-api"))
    recording.probe("seat-api:8080")
    timeline(recording, None if healthy else lambda: clients.grow(rate=44, threads=50))


def visit(number: int) -> Request:
    return Request("GET", f"/seats/{number % 500}")


SCENARIO = told(
    play,
    "load_surge",
    "seats-503",
    HOST,
    "seat-api",
    (
        "SeatErrorRatioHigh",
        "Seats cannot be looked at",
        "seat-api answers 503 to many requests since ticket sales opened.",
    ),
    ("SalesReadiness", "Readiness check of seat-api before ticket sales", "Planned check: are seats shown?"),
    Expected(
        fault="load.surge",
        entities=["seat-api", "seat_api"],
        terms=[
            ["load", "requests", "traffic", "surge"],
            ["surge", "times", "more", "rose", "capacity", "workers", "busy", "overload"],
        ],
        tempting="seat-api has become slow by itself",
        difficulty="medium",
        must_not_appear=[TOKEN, CANARY],
    ),
)
