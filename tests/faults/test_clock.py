"""Clocks that jump, and hosts whose clocks disagree: who holds what is told by the database, or by monotonic clocks."""

import os
import signal
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.serving import entry, post
from tests.faults.conftest import nurturing
from tests.faults.ward import Ward, alive, comparable
from tests.faults.web import answer, web_of
from tests.faults.wrong_clock import Clock

HOUR = 3600


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    """That of the workers which are not in time."""
    return Clock(tmp_path_factory.mktemp("clock") / "off")


@pytest.fixture(scope="module")
def elsewhen(clock: Clock) -> Iterator["subprocess.Popen[str]"]:
    """A nursery of workers whose clock can be set."""
    with nurturing(**clock.environment) as nursery:
        yield nursery


@pytest.fixture
def skewed(ward: Ward, elsewhen: "subprocess.Popen[str]", clock: Clock) -> Ward:
    """The same queue; its workers have the clock that can be set."""
    clock.off(0)
    return Ward(ward.data, ward.folder, elsewhen, ward.workers)


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_worker_whose_clock_jumps_in_a_run_keeps_its_lease_and_ends_it(
    skewed: Ward, ward: Ward, clock: Clock, undisturbed: Any, jump: int
) -> None:
    ward.bring(2)
    jumping = skewed.worker(n="agent_done infra", by=signal.SIGSTOP)
    skewed.until(lambda: any("agent_done infra" in line for line in skewed.trace()))
    clock.off(jump)
    os.kill(jumping, signal.SIGCONT)
    ward.until_settled()
    ward.worker()  # one with the right time finds nothing that was lost
    ward.bring_more("ward-02")
    ward.until_settled()
    assert ward.reports_of() == ["ward-00 1", "ward-01 1", "ward-02 1"]
    assert all(comparable(each["report"]) == undisturbed for each in ward.reports())
    assert all(0 <= each["report"]["run"]["seconds"] < HOUR / 2 for each in ward.reports())
    assert ward.ask("select distinct fencing_token, crashes from investigation join incident "
                    "on incident.id = incident_id") == [{"fencing_token": 1, "crashes": 0}]  # fmt: skip
    assert _off(ward, "investigation", "started_at", "ended_at") < HOUR / 2


def test_a_job_that_a_worker_with_a_clock_ahead_gives_back_is_taken_at_once(
    skewed: Ward, ward: Ward, clock: Clock, undisturbed: Any
) -> None:
    clock.off(HOUR)
    ward.bring(1)
    told = skewed.worker(n="agent_started runbook", by=signal.SIGTERM, lease_seconds=60.0)
    skewed.until(lambda: not alive(told))
    assert ward.ask("select 1 from procrastinate_jobs where scheduled_at > now() + interval '1 minute'") == []
    ward.worker(lease_seconds=60.0)
    ward.until_settled()
    (report,) = ward.reports()
    assert comparable(report["report"]) == undisturbed


def test_web_processes_and_a_worker_whose_clocks_disagree_make_one_incident_and_one_report(
    skewed: Ward, ward: Ward, clock: Clock, tmp_path: Path
) -> None:
    late, early = Clock(tmp_path / "late", -HOUR), Clock(tmp_path / "early", HOUR)
    clock.off(HOUR)
    now = datetime.now(UTC)
    begins = {"startsAt": (now - timedelta(minutes=2)).isoformat()}
    with web_of(ward, late.environment) as behind, web_of(ward, early.environment) as ahead:
        for web in (behind, ahead, behind):
            _posted(web, entry(**begins))
        skewed.worker()
        ward.until_settled()
        _posted(ahead, entry(status="resolved", **begins))
        (closed,) = ward.ask("select status, closed_at from incident")
        _posted(behind, entry(**begins))  # within the cooldown, whoever hears of it
    assert closed["status"] == "closed"
    accounts = [row["account"] for row in ward.ask("select account from alert order by id")]
    assert accounts == ["new", "duplicate", "duplicate", "resolved", "cooldown"]
    assert [each["version"] for each in ward.reports()] == [1]
    assert _off(ward, "incident", "opened_at", "heard_at", "window_end", "closed_at") < HOUR / 2
    assert ward.ask("select 1 from incident where fired_at not between now() - interval '30 min' and now()") == []


def test_a_machine_whose_clock_is_off_says_so_and_looks_at_what_it_stamped(
    skewed: Ward, ward: Ward, clock: Clock, tmp_path: Path
) -> None:
    clock.off(HOUR)
    log = tmp_path / "app.log"
    stamp = datetime.now(UTC) + timedelta(seconds=HOUR)
    log.write_text(f"{stamp:%Y-%m-%dT%H:%M:%S}Z ERROR cart: write /data/carts.db: No space left on device\n")
    with web_of(ward) as web:
        _posted(web, entry())
    skewed.worker(evidence=None, log_globs=str(log), journal="off", docker_host="off")
    ward.until_settled(150)
    (report,) = ward.reports()
    assert "s ahead of the database's" in str(report["report"]["gaps"])
    assert "No space left" in str(ward.ask("select content from tool_result"))


def _posted(web: str, alert: dict[str, Any]) -> None:
    assert answer(web, post(alert)) == 202


def _off(ward: Ward, table: str, *columns: str) -> float:
    """By how many seconds the column is off that is the farthest from the database's time."""
    far = ", ".join(f"abs(extract(epoch from now() - {each}))" for each in columns)
    (row,) = ward.ask(f"select max(greatest({far}))::float8 as off from {table}")
    return float(row["off"])
