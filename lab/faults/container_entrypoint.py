"""process.executable_missing: a new image has no longer the program that its container is told to start"""

from __future__ import annotations

from lab.containers import Engine
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

HOST = Host("docker-5", {})
ADDRESS = ("10.30.0.15", 8081)
SECRET = "ghp_1xTz8Kq3Rw6Ly9Vb2Mz7Pc5Js4Hd0Fg3Uc"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    engine = Engine(stage)
    for release in ("6.1.0", "6.2.0"):
        engine.image(f"shop/search-api:{release}", "catalog_api.py")
    start(engine, "6.1.0", "python3 catalog_api.py")
    wait_for_port(*ADDRESS)
    clients = Clients("search-api", ADDRESS, lambda n: Request("GET", f"/search/{n}"), rate=4, hostile=True).start()
    recording.watch(clients.sample, engine.memory("search-api"))
    recording.probe(f"{ADDRESS[0]}:{ADDRESS[1]}")

    def cause() -> None:
        stage.run_ok("docker rm -f search-api")
        start(engine, "6.2.0", "python3 catalog_api.py" if healthy else "gunicorn catalog_api:app")

    timeline(recording, cause)


def start(engine: Engine, release: str, command: str) -> None:
    engine.run_any(
        "search-api",
        f"shop/search-api:{release}",
        command,
        f"--ip {ADDRESS[0]} --memory 128m -e LISTEN=0.0.0.0 -e PORT=8081 -e NAME=search-api -e API_TOKEN={SECRET} "
        "--restart unless-stopped",
    )


SCENARIO = told(
    play,
    "container_entrypoint",
    "search-gone",
    HOST,
    "search-api",
    ("SearchDown", "search-api is gone", "No request to search-api is answered since its release."),
    ("ReleaseFollowUp", "Follow-up to the release of search-api", "Planned check: does search-api answer?"),
    Expected(
        fault="process.executable_missing",
        entities=["search-api"],
        terms=[
            ["not found", "no such file", "executable", "exec", "127"],
            ["start", "entrypoint", "path", "command", "program"],
        ],
        tempting="the network of the host",
        difficulty="easy",
        must_not_appear=[SECRET, CANARY],
    ),
)
