"""runtime.exec_format: an image that was built for another processor is rolled out"""

from __future__ import annotations

import struct
from pathlib import Path

from lab.containers import Engine
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

HOST = Host("docker-6", {})
ADDRESS = ("10.30.0.16", 8081)
SECRET = "ghp_5xTz2Kq8Rw1Ly4Vb7Mz3Pc9Js6Hd0Fg1Ud"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    engine = Engine(stage)
    binary = Path(stage.compile("thumb-api", "thumb_api.c", "thumb-api"))
    engine.image("shop/thumb-api:0.9.1", files={"thumb-api": binary.read_bytes()})
    engine.image("shop/thumb-api:0.9.2", files={"thumb-api": binary.read_bytes() if healthy else for_arm(binary)})
    start(engine, "0.9.1")
    wait_for_port(*ADDRESS)
    clients = Clients("thumb-api", ADDRESS, lambda n: Request("GET", f"/thumb/{n}"), rate=4, hostile=True).start()
    recording.watch(clients.sample, engine.memory("thumb-api"))
    recording.probe(f"{ADDRESS[0]}:{ADDRESS[1]}")

    def cause() -> None:
        stage.run_ok("docker rm -f thumb-api")
        start(engine, "0.9.2")

    timeline(recording, cause)


def for_arm(binary: Path) -> bytes:
    """The program as a build for arm64 marks it: the kernel reads the machine in the header and refuses."""
    built = bytearray(binary.read_bytes())
    built[18:20] = struct.pack("<H", 183)
    return bytes(built)


def start(engine: Engine, release: str) -> None:
    engine.run_any(
        "thumb-api",
        f"shop/thumb-api:{release}",
        "/app/thumb-api 0.0.0.0 8081",
        f"--ip {ADDRESS[0]} --memory 64m -e API_TOKEN={SECRET} --restart on-failure:8",
    )


SCENARIO = told(
    play,
    "container_architecture",
    "thumbnails-missing",
    HOST,
    "thumb-api",
    ("ThumbnailsDown", "No thumbnails are made", "thumb-api does not answer since its image was rebuilt."),
    ("ReleaseFollowUp", "Follow-up to the rebuild of thumb-api", "Planned check: does thumb-api answer?"),
    Expected(
        fault="runtime.exec_format",
        entities=["thumb-api", "shop/thumb-api"],
        terms=[
            ["exec format error", "architecture", "exec format"],
            ["arm64", "amd64", "x86", "binary", "image", "processor", "platform", "built"],
        ],
        tempting="the program crashes because of a bug",
        difficulty="easy",
        must_not_appear=[SECRET, CANARY],
    ),
)
