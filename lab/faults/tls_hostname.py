"""tls.hostname_mismatch: the certificate behind nginx is replaced by one for another name."""

from __future__ import annotations

import signal

from lab import tls
from lab.load import CANARY
from lab.record import Expected, Recording
from lab.scenario import timeline, told
from lab.stage import Host, Stage

HOST = Host("pay-3", tls.NAMES)


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    tls.issue(stage)
    tls.start(stage, recording)

    def cause() -> None:
        tls.issue(stage) if healthy else tls.issue(stage, name="billing.shop.internal")
        stage.kill("nginx", signal.SIGHUP)

    timeline(recording, cause)


SCENARIO = told(
    play,
    "tls_hostname",
    "ledger-backlog",
    HOST,
    "ledger-sync",
    (
        "LedgerPushFailing",
        "Batches pile up at ledger-sync",
        "No batch was pushed for half a minute. payments-api reports itself healthy.",
    ),
    ("LedgerPushAudit", "Check of ledger-sync after a renewal", "Planned check: are batches being pushed?"),
    Expected(
        fault="tls.hostname_mismatch",
        entities=[tls.NAME, "certificate:", "nginx", "payments.pem"],
        terms=[["certificate"], ["name", "host", "subject"], ["match", "mismatch", "differ", "other", "another"]],
        tempting="the certificate is expired",
        difficulty="easy",
        must_not_appear=[tls.TOKEN, CANARY],
    ),
)
