"""A real worker as operators see it: its report on disk, its log, its numbers."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bootstrap import House, open_house
from app.logs import set_up_logs
from app.notify import heralding
from app.operations import gathered
from app.queue import run_worker
from app.replay import incident_of
from app.settings import load_settings
from bundle.bundle import open_bundle
from store import incidents, notifications
from store.jobs import enqueue

BUNDLE = Path("incidents/invoice-batches-fail")


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    set_up_logs(load_settings(log_format="json"), stream)
    yield stream
    root.handlers[:], root.level = handlers, level


async def queued(house: House) -> str:
    with open_bundle(BUNDLE) as bundle:
        incident = incident_of(bundle)
    async with house.database.connection() as connection, connection.transaction():
        await incidents.save(connection, incident)
        await enqueue(connection, incident.id)
    return incident.id


async def test_a_worker_tells_of_its_report_logs_under_its_trace_and_is_counted(
    dsn: str, tmp_path: Path, log: io.StringIO
) -> None:
    settings = load_settings(
        database_url=dsn, evidence=str(BUNDLE), poll_seconds=0.5, heartbeat_seconds=1, notify_poll_seconds=0.2,
        notify={"files": {"folder": str(tmp_path)}, "away": {"webhook": "http://127.0.0.1:9/"}},
        notify_allow="127.0.0.1",
    )  # fmt: skip
    async with open_house(settings) as house, heralding(house.database, settings) as herald:
        incident, stop = await queued(house), asyncio.Event()
        working = asyncio.create_task(run_worker(house, 1, stop, notify=herald.tell))
        try:
            async with asyncio.timeout(60):
                while len(await told(house, incident)) < 2:  # noqa: ASYNC110 - the database tells nobody
                    await asyncio.sleep(0.2)
        finally:
            stop.set()
            await working
        gauges = await gathered(house.database, settings)
    assert names(tmp_path / incident) == ["report-v1.json", "report-v1.md"]
    report = json.loads((tmp_path / incident / "report-v1.json").read_text())
    traces = {line.get("trace") for line in map(json.loads, log.getvalue().splitlines()) if line.get("trace")}
    assert traces == {report["run"]["investigation"]}
    assert gauges.numbers is not None
    assert gauges.numbers.investigations == {("done", "root_cause"): 1}
    assert gauges.numbers.notifications == {("away", "waiting"): 1, ("files", "sent"): 1}
    assert sum(gauges.numbers.calls.values()) == report["run"]["tool_calls"]


async def told(house: House, incident: str) -> list[str]:
    """Channels that were tried."""
    async with house.database.connection() as connection:
        found = await notifications.of_incident(connection, incident)
    return [one.channel for one in found if one.state == "sent" or one.error]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
