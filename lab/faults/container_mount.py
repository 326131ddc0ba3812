"""config.wrong_mount: the source of a bind mount is not there, and a folder stands where a file should be"""

from __future__ import annotations

from pathlib import Path

from lab.containers import Engine
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

HOST = Host("docker-4", {})
ADDRESS = ("10.30.0.14", 8081)
SECRET = "ghp_8nTz2Kq5Rw7Lx1Vb4Mz9Pc3Js6Hd0Fg2Ub"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    engine = Engine(stage)
    engine.image("shop/tax-api:1.3.0", "tax_api.py")
    Path("/srv/tax").mkdir()
    Path("/srv/tax/rates.json").write_text('{"DE": 19, "FR": 20}', encoding="utf-8")
    start(engine, "/srv/tax/rates.json")
    wait_for_port(*ADDRESS)
    clients = Clients("tax-api", ADDRESS, lambda _: Request("GET", "/tax/DE"), rate=4, hostile=True).start()
    recording.watch(clients.sample, engine.memory("tax-api"))
    recording.probe(f"{ADDRESS[0]}:{ADDRESS[1]}")

    def cause() -> None:
        stage.run_ok("docker rm -f tax-api")
        start(engine, "/srv/tax/rates.json" if healthy else "/srv/config/tax/rates.json")

    timeline(recording, cause)


def start(engine: Engine, rates: str) -> None:
    engine.run(
        "tax-api",
        "shop/tax-api:1.3.0",
        "python3 tax_api.py",
        f"--ip {ADDRESS[0]} --memory 128m -e API_TOKEN={SECRET} -v {rates}:/etc/tax/rates.json --restart on-failure:6",
    )


SCENARIO = told(
    play,
    "container_mount",
    "tax-quotes-fail",
    HOST,
    "tax-api",
    (
        "TaxApiDown",
        "tax-api does not answer",
        "No request to tax-api is answered since it was moved to docker-4's new layout.",
    ),
    ("MoveFollowUp", "Follow-up to the move of tax-api", "Planned check: does tax-api answer?"),
    Expected(
        fault="config.wrong_mount",
        entities=["tax-api"],
        terms=[
            ["mount", "volume", "bind", "rates.json"],
            ["directory", "folder", "not exist", "missing", "wrong", "empty", "errno 21"],
        ],
        tempting="the new image of tax-api is broken",
        difficulty="medium",
        must_not_appear=[SECRET, CANARY],
    ),
)
