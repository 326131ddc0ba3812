"""process.pid_limit: a thread for every export uses up the processes that the container may have"""

from __future__ import annotations

from lab.containers import Engine
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

HOST = Host("docker-8", {})
ADDRESS = ("10.30.0.18", 8081)
SECRET = "ghp_9xTz6Kq3Rw5Ly8Vb1Mz7Pc4Js2Hd0Fg6Uf"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    engine = Engine(stage)
    engine.image("shop/export-api:1.1.4", "export_api.py")
    engine.run(
        "export-api",
        "shop/export-api:1.1.4",
        "python3 export_api.py",
        f"--ip {ADDRESS[0]} --memory 128m --pids-limit 40 -e API_TOKEN={SECRET} --restart unless-stopped",
    )
    wait_for_port(*ADDRESS)
    clients = Clients("export-api", ADDRESS, lambda n: Request("GET", f"/exports/{n}"), rate=4, hostile=True).start()
    recording.watch(clients.sample, engine.memory("export-api"))
    recording.probe(f"{ADDRESS[0]}:{ADDRESS[1]}")

    def cause() -> None:
        Clients("export-api", ADDRESS, lambda n: Request("POST", "/exports", {"id": n}), rate=3).start()

    timeline(recording, None if healthy else cause, hurt=35)


SCENARIO = told(
    play,
    "container_pids",
    "exports-fail",
    HOST,
    "export-api",
    ("ExportErrorRatioHigh", "Exports fail", "export-api answers 500 or nothing to more and more requests."),
    ("ExportReview", "Weekly review of export-api", "Planned review: are exports made?"),
    Expected(
        fault="process.pid_limit",
        entities=["export-api"],
        terms=[
            ["thread", "pid", "process"],
            ["limit", "cannot start", "can't start", "exhaust", "resource temporarily"],
        ],
        tempting="export-api is out of memory",
        difficulty="medium",
        must_not_appear=[SECRET, CANARY],
    ),
)
