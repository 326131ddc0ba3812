"""process.segfault: a program in C crashes on certain pictures; its supervisor starts it again each time."""

from __future__ import annotations

from lab import nginx
from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.shop import KEY
from lab.stage import Host, Stage, wait_for_port

HOST = Host("img-1", {"edge": "10.20.0.10", "thumb-api": "10.20.0.41"})
SERVERS = """
  server {
    listen 10.20.0.10:80;
    server_name img.example;
    location / { proxy_pass http://thumb-api:8081; proxy_connect_timeout 2s; }
  }
"""
SUPERVISOR = (
    'while :; do "$0" "$1" "$2"; echo "$(date -u +%FT%TZ) supervisor: thumb-api ended with status $?"; sleep 1; done'
)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    binary = stage.compile("thumb-api", "thumb_api.c", "thumb-api")
    stage.start("thumb-api", ["sh", "-c", SUPERVISOR, binary, HOST.addresses["thumb-api"], "8081"])
    wait_for_port(HOST.addresses["thumb-api"], 8081)
    nginx.start(stage, SERVERS, HOST.addresses["edge"], 80)
    address = (HOST.addresses["edge"], 80)
    clients = Clients(
        "edge", address, lambda n: Request("GET", f"/thumb/{n}?api_key={KEY}"), rate=4, hostile=True
    ).start()
    recording.watch(clients.sample, processes(stage, "nginx", "thumb-api"))
    recording.probe("http://edge/thumb/1", "thumb-api:8081")

    def cause() -> None:
        picture = "small" if healthy else "x" * 900
        Clients("edge", address, lambda _: Request("GET", f"/thumb/{picture}"), rate=0.6, threads=2).start()

    timeline(recording, cause, hurt=35)


SCENARIO = told(
    play,
    "process_segfault",
    "thumbnails-502",
    HOST,
    "edge",
    (
        "Edge5xxRatioHigh",
        "Thumbnails answer 502 now and then",
        "A part of the requests to img.example answers 502 in bursts.",
    ),
    ("EdgeSmokeTest", "Smoke test of img.example", "Planned check: are thumbnails served?"),
    Expected(
        fault="process.segfault",
        entities=["thumb-api", "10.20.0.41"],
        terms=[
            ["segfault", "segmentation fault", "sigsegv", "139", "signal 11"],
            ["crash", "ended", "process", "memory"],
        ],
        tempting="nginx or the network drops connections",
        difficulty="medium",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
)
