"""tls.certificate_expired: the certificate behind nginx runs out while clients are at work."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from lab import tls
from lab.load import CANARY
from lab.record import Alert, Expected, Recording
from lab.scenario import NORMAL, Scenario, timeline
from lab.stage import Host, Stage


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    tls.issue(stage, ends=None if healthy else datetime.now(UTC) + timedelta(seconds=NORMAL + 8))
    tls.start(stage, recording)
    timeline(recording, None, normal=NORMAL + 5, hurt=35)


SCENARIO = Scenario(
    folder="ledger-batches-missing",
    host=Host("pay-1", tls.NAMES),
    alert=Alert(
        "LedgerPushFailing",
        "ledger-sync has pushed no batch for 30 s",
        "Batches pile up at ledger-sync. payments-api reports itself healthy.",
        {"service": "ledger-sync", "instance": "pay-1"},
    ),
    calm=Alert(
        "LedgerPushAudit",
        "Audit of ledger-sync pushes",
        "Weekly audit: are batches being pushed?",
        {"service": "ledger-sync", "instance": "pay-1"},
        "info",
    ),
    expected=Expected(
        fault="tls.certificate_expired",
        entities=[tls.NAME, "certificate:", "nginx", "payments.pem"],
        terms=[["certificate", "cert"], ["expired", "expiry", "notafter", "not after"]],
        tempting="payments-api is down, or the network between the two is",
        difficulty="easy",
        must_not_appear=[tls.TOKEN, CANARY],
    ),
    play=play,
    source="lab: tls_certificate",
)
