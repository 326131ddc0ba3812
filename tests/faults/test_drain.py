"""SIGTERM: the current step ends, the job goes back to the queue at once, and another worker goes on from there."""

import os
import signal
import time
from typing import Any

from tests.faults.ward import Ward, alive, comparable


def test_a_worker_that_is_told_to_stop_hands_its_incident_on_at_once(ward: Ward, undisturbed: Any) -> None:
    ward.bring(1)
    told = ward.worker(n="agent_started runbook", by=signal.SIGTERM, lease_seconds=60.0)
    ward.until(lambda: not alive(told))
    assert ward.ask("select status, lease_until from investigation") == [{"status": "running", "lease_until": None}]
    begun = time.monotonic()
    ward.worker(lease_seconds=60.0)
    ward.until_settled()
    assert time.monotonic() - begun < 40, "it waited for the lease"
    (report,) = ward.reports()
    assert comparable(report["report"]) == undisturbed
    assert ward.ask("select crashes from incident") == [{"crashes": 0}]


def test_an_idle_worker_that_is_told_to_stop_ends_within_two_seconds(ward: Ward) -> None:
    idle = ward.worker()
    ward.until(lambda: any("ready" in line for line in ward.trace()))
    ward.until(lambda: bool(ward.ask("select 1 from procrastinate_workers")))
    os.kill(idle, signal.SIGTERM)
    ward.until(lambda: not alive(idle), 5)
    assert ward.ask("select 1 from procrastinate_workers") == []
