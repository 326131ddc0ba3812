"""time.clock_skew: the clock of the token issuer runs ahead, and its tokens are refused elsewhere."""

from __future__ import annotations

from lab.load import CANARY, Clients, Request
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

SECRET = "hs_5Wq9Lx2Vb7Nz4Pc1Rt8K"
HOST = Host("auth-1", {"account-api": "10.20.0.39", "token-issuer": "10.20.0.40"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    issuer = (HOST.addresses["token-issuer"], 8090)
    start_issuer(stage)
    address = stage.start_service(
        "account-api", "account_api.py", 8080, env={"ISSUER": f"http://token-issuer:{issuer[1]}", "SECRET": SECRET}
    )
    clients = Clients(
        "account-api", address, lambda n: Request("GET", f"/account/{n % 80}"), rate=4, hostile=True
    ).start()
    recording.watch(clients.sample, processes(stage, "account-api", "token-issuer"))
    recording.probe("account-api:8080", "token-issuer:8090")

    def cause() -> None:
        stage.stop("token-issuer")
        start_issuer(stage, "faketime", "--exclude-monotonic", "-f", "+300s")

    timeline(recording, None if healthy else cause)


def start_issuer(stage: Stage, *before: str) -> None:
    home = stage.install("token-issuer", "token_issuer.js")
    told_env = {"LISTEN": HOST.addresses["token-issuer"], "SECRET": SECRET}
    stage.start("token-issuer", [*before, "node", str(home / "token_issuer.js")], env=told_env)
    wait_for_port(HOST.addresses["token-issuer"], 8090)


SCENARIO = told(
    play,
    "clock_skew",
    "accounts-401",
    HOST,
    "account-api",
    (
        "AccountErrorRatioHigh",
        "Nobody can see an account",
        "account-api answers 500 to every request since token-issuer came back on another machine.",
    ),
    ("MoveFollowUp", "Follow-up to the move of token-issuer", "Planned check: can accounts be seen?"),
    Expected(
        fault="time.clock_skew",
        entities=["token-issuer", "recorded-host", "token_issuer", "host:"],
        terms=[["clock", "skew", "time"], ["future", "ahead", "not yet valid", "issued", "skew", "wrong"]],
        tempting="account-api and token-issuer do not share a secret",
        difficulty="medium",
        must_not_appear=[SECRET, CANARY],
    ),
)
