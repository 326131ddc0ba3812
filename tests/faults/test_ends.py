"""How a job ends when what is around the run fails: in this process, with the real queue and database."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from app.bootstrap import House, open_house
from app.queue import run_worker
from app.settings import load_settings
from domain.alert import Incident
from domain.errors import RetryLater
from store.lock import wait_until
from store.reports import StoredReport
from tests.faults.ward import BUNDLE, Ward
from tools.targets import Target


async def worked(ward: Ward, until: Callable[[], bool], seconds: float = 60, **given: Any) -> None:
    """Work until it is so."""
    settings = load_settings(data=str(ward.data), evidence=str(BUNDLE), poll_seconds=0.2, heartbeat_seconds=0.5)
    stop = asyncio.Event()
    async with open_house(settings) as house:
        working = asyncio.create_task(run_worker(house, 1, stop, **given))
        reached = await asyncio.to_thread(wait_until, until, seconds)
        stop.set()
        await working
    assert reached


def test_a_report_that_could_not_be_told_is_told_later_and_not_written_again(ward: Ward) -> None:
    ward.bring(1)
    told: list[int] = []

    async def notify(report: StoredReport) -> None:
        told.append(report.version)
        if len(told) == 1:
            raise RetryLater("the channel is away")

    asyncio.run(worked(ward, lambda: len(told) == 2, notify=notify))
    assert told == [1, 1]
    assert ward.reports_of() == ["ward-00 1"]


def test_an_error_of_ours_is_tried_again_twice_and_then_set_aside_with_its_reason(ward: Ward) -> None:
    ward.bring(1)

    def broken(house: House, incident: Incident) -> Mapping[str, Target]:
        raise ValueError(f"no servers for {incident.id}")

    failed = "select reason from investigation where status = 'failed'"
    asyncio.run(worked(ward, lambda: bool(ward.ask(failed)), targets=broken))
    assert ward.ask(failed) == [{"reason": "ValueError: no servers for ward-00"}]
    assert ward.ask("select status, crashes from incident") == [{"status": "failed", "crashes": 3}]
    assert ward.reports_of() == []
