"""process.descriptors_exhausted: sessions that never log out keep a file open each, and the limit is low."""

from __future__ import annotations

from lab.load import CANARY, Clients, Request
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.stage import Host, Stage, wait_for_port

TOKEN = "ghp_9fKq2Lw7Rt4Yx8Vb3Nm6Zc1Ds5Ga0Hj2Pe4"
NAMES = {"session-gateway": "10.20.0.15", "idp.shop.internal": "10.20.0.60"}
PID = "$(pgrep -f session_gateway.py | head -1)"


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    stage.start_python(
        "session-gateway",
        "session_gateway.py",
        before=["prlimit", "--nofile=96:96"],
        env={"LISTEN": NAMES["session-gateway"], "UPSTREAM_TOKEN": TOKEN},
    )
    address = (NAMES["session-gateway"], 8080)
    wait_for_port(*address)
    clients = Clients("session-gateway", address, visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "session-gateway"))

    def cause() -> None:
        Clients(
            "session-gateway", address, lambda n: Request("POST", "/session", {"user": f"kiosk{n}"}), rate=5
        ).start()

    recording.probe("session-gateway:8080")
    timeline(recording, None if healthy else cause, hurt=40)


def visit(number: int) -> Request:
    """Log in, look, log out."""
    user = f"user{number // 3}"
    return (
        Request("POST", "/session", {"user": user}),
        Request("GET", f"/session/{user}"),
        Request("DELETE", f"/session/{user}"),
    )[number % 3]


SCENARIO = Scenario(
    folder="session-gateway-login-errors",
    host=Host("gw-1", NAMES),
    alert=Alert(
        "LoginErrorRatioHigh",
        "Logins fail or time out at session-gateway",
        "Error ratio of session-gateway above 25 % for two scrapes.",
        {"service": "session-gateway", "instance": "gw-1"},
    ),
    calm=Alert(
        "LoginProbe",
        "Probe asks for a look at session-gateway",
        "Daily probe: are logins served?",
        {"service": "session-gateway", "instance": "gw-1"},
        "info",
    ),
    expected=Expected(
        fault="process.descriptors_exhausted",
        entities=["session-gateway", "session_gateway", "gw-1"],
        terms=[
            ["too many open files", "descriptor", "emfile", "errno 24", "nofile"],
            ["limit", "exhaust", "ulimit", "96", "leak"],
        ],
        tempting="the network or the identity provider is down",
        difficulty="easy",
        must_not_appear=[TOKEN, CANARY],
    ),
    play=play,
    source="lab: process_descriptors",
)
