"""tls.unknown_authority: the certificate behind nginx is replaced by one that another authority signed."""

from __future__ import annotations

import signal

from lab import tls
from lab.load import CANARY
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage

HOST = Host("pay-2", tls.NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    tls.issue(stage)
    tls.start(stage, recording)

    def cause() -> None:
        tls.issue(stage) if healthy else tls.issue(stage, authority="other")
        stage.kill("nginx", signal.SIGHUP)

    timeline(recording, cause)


SCENARIO = told(
    play,
    "tls_unknown_authority",
    "ledger-push-errors",
    HOST,
    "ledger-sync",
    (
        "LedgerPushFailing",
        "ledger-sync cannot push its batches",
        "Every push of ledger-sync fails since the certificate rotation. payments-api is well.",
    ),
    ("LedgerPushAudit", "Check after a certificate rotation", "Planned check: are batches being pushed?"),
    Expected(
        fault="tls.unknown_authority",
        entities=[tls.NAME, "certificate:", "nginx", "payments.pem"],
        terms=[
            ["certificate"],
            [
                "unknown authority",
                "local issuer",
                "self-signed",
                "self signed",
                "not trusted",
                "untrusted",
                "chain",
                "unable to get",
                "issuer",
            ],
        ],
        tempting="the certificate is expired",
        difficulty="easy",
        must_not_appear=[tls.TOKEN, CANARY],
    ),
)
