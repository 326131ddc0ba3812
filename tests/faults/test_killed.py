"""kill -9 at any point loses nothing, and one report comes out that is the same as if nothing had happened."""

import random
from typing import Any

import pytest

from store.lock import wait_until
from tests.faults.ward import Ward, alive, comparable

NOTICES = 29  # of one run
POINTS = 20
PLACES = [
    "taken ward-00",
    "stage plan",
    "agent_started log",
    "tool_called infra host_snapshot",
    "agent_done metric",
    "stage root_cause",
    "stage report",
]


def test_a_worker_killed_at_twenty_random_points_loses_nothing(ward: Ward, undisturbed: Any) -> None:
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    print(f"seed {seed}")
    ids = ward.bring(10)
    quick = {"heartbeat_seconds": 0.3, "lease_seconds": 1.5, "poll_seconds": 0.5, "most_crashes": 1000}
    for _ in range(POINTS // 2):
        pair = [
            ward.worker(n=chance.randint(1, NOTICES), delay=chance.choice((0.0, chance.uniform(0, 0.3))), **quick)
            for _ in range(2)
        ]
        assert wait_until(lambda pair=pair: not any(map(alive, pair)), 60), ward.log()[-4000:]
    ward.worker(**quick)
    ward.worker(**quick)
    ward.until_settled()
    reports = ward.reports()
    assert [(each["incident_id"], each["version"]) for each in reports] == [(each, 1) for each in ids]
    assert all(comparable(each["report"]) == undisturbed for each in reports)
    assert "Blocked deserialization" not in ward.log()
    assert ward.ask("select count(*) as n from checkpoints") == [{"n": 0}]


@pytest.mark.parametrize("place", PLACES)
def test_a_worker_killed_in_a_node_is_succeeded_by_another(ward: Ward, undisturbed: Any, place: str) -> None:
    ward.bring(1)
    ward.lose_worker(place, lease_seconds=1.5, heartbeat_seconds=0.3)
    ward.worker(lease_seconds=1.5, heartbeat_seconds=0.3)
    ward.until_settled()
    (report,) = ward.reports()
    assert comparable(report["report"]) == undisturbed
    assert ward.ask("select fencing_token, version from investigation") == [{"fencing_token": 2, "version": 1}]


def test_finished_agents_of_a_killed_worker_are_not_run_again(ward: Ward) -> None:
    ward.bring(1)
    ward.lose_worker("stage root_cause")
    ward.worker()
    ward.until_settled()
    started = [line.split(maxsplit=1)[1] for line in ward.trace() if "agent_started" in line]
    assert sorted(started) == [f"agent_started {name}" for name in ("infra", "log", "metric", "runbook")]
