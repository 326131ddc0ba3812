"""A worker that is stopped for longer than its lease and goes on then cannot write over its successor."""

import os
import signal
from typing import Any

from tests.faults.ward import Ward, comparable


def test_a_paused_worker_that_goes_on_writes_nothing_over_its_successor(ward: Ward, undisturbed: Any) -> None:
    ward.bring(1)
    paused = ward.worker(n="agent_done infra", by=signal.SIGSTOP)
    ward.until(lambda: any("agent_done infra" in line for line in ward.trace()))
    ward.worker()
    ward.until(lambda: any("resumed" in line for line in ward.trace()))
    os.kill(paused, signal.SIGCONT)
    ward.until_settled()
    ward.until(lambda: "no longer this worker's" in ward.log() or "has ended" in ward.log())
    (report,) = ward.reports()
    assert report["version"] == 1
    assert comparable(report["report"]) == undisturbed
    assert ward.ask("select status, fencing_token from investigation") == [{"status": "done", "fencing_token": 2}]


def test_a_paused_worker_that_goes_on_after_its_successor_ended_works_on_with_other_incidents(ward: Ward) -> None:
    ward.bring(2)
    paused = ward.worker(n="stage root_cause", by=signal.SIGSTOP)
    ward.until(lambda: any("root_cause" in line for line in ward.trace()))
    successor = ward.worker()
    ward.until_settled()
    os.kill(successor, signal.SIGTERM)
    os.kill(paused, signal.SIGCONT)
    ward.until(lambda: "no longer this worker's" in ward.log() or "has ended" in ward.log())
    assert ward.reports_of() == ["ward-00 1", "ward-01 1"]
    ward.bring_more("ward-02")
    ward.until(lambda: "ward-02 1" in ward.reports_of())
    assert sum(line.startswith(f"{paused} taken") for line in ward.trace()) >= 1
