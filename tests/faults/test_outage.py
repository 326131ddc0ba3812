"""The database is killed and stays away during a run: the worker waits for it and goes on."""

import os
import signal
import time
from typing import Any

from store.cluster import read_postmaster
from store.lock import open_lock, wait_lock
from store.place import place_for
from tests.faults.ward import Ward, comparable

AWAY_SECONDS = 30


def test_a_run_goes_on_after_the_database_was_killed_in_its_middle(ward: Ward, undisturbed: Any) -> None:
    _outage(ward, 0)
    assert comparable(ward.reports()[0]["report"]) == undisturbed


def test_a_run_goes_on_after_the_database_was_away_for_thirty_seconds(ward: Ward) -> None:
    _outage(ward, AWAY_SECONDS)
    assert ward.ask(
        "select distinct crashes, fencing_token from incident join investigation on incident_id = incident.id"
    ) == [{"crashes": 0, "fencing_token": 1}]


def _outage(ward: Ward, seconds: float) -> None:
    """Away in the middle of a run, and nobody can start it meanwhile."""
    place = place_for(ward.data, named=True)
    ward.bring(2)
    ward.worker(n="agent_done infra", by=signal.SIGSTOP)
    ward.until(lambda: any("agent_done infra" in line for line in ward.trace()))
    lock = open_lock(place.folder / "start.lock")
    try:
        wait_lock(lock, 10, "the start lock")
        found = read_postmaster(place)
        assert found is not None
        os.kill(found.pid, signal.SIGKILL)
        os.kill(ward.workers[0], signal.SIGCONT)
        time.sleep(seconds)
    finally:
        os.close(lock)
    ward.until_settled(120)
    assert ward.reports_of() == ["ward-00 1", "ward-01 1"]
