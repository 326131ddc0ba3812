"""What is stored comes back as it was."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from domain.alert import Alert, AlertStatus, Incident, Window
from domain.codec import digest
from store import calls, incidents, investigations, reports, results
from store.calls import LoggedCall
from store.database import Database
from store.investigations import Outcome

NOON = datetime(2026, 11, 2, 12, 0, 0, 123456, tzinfo=UTC)
INCIDENT = Incident(
    id="INC-1",
    title="checkout is slow",
    fired_at=NOON,
    window=Window(NOON - timedelta(hours=1), NOON),
    timezone="Europe/Berlin",
    alerts=(
        Alert("alertmanager", "HighLatency", {"service": "checkout", "odd": "a\0b"}, {"summary": "延迟"}, "critical",
              AlertStatus.FIRING, NOON, None, "f1"),
    ),
    notes="recorded by hand",
    gaps=("alert without labels",),
)  # fmt: skip


def _call(number: int, investigation: str = "run-1", **changes: object) -> LoggedCall:
    values = {
        "investigation": investigation, "call_id": f"log.{number}", "agent": "log", "entry": "cli", "identity": "local",
        "tool": "logs_search", "tool_version": "0.1.0", "arguments": {"grep": "a|b", "tail_n": 50}, "status": "ok",
        "started_at": NOON, "seconds": 0.25, "error": "", "result_sha256": "a" * 64, "redactions": 2, "truncated": True,
        "original_chars": 123_456,
    }  # fmt: skip
    return LoggedCall(**values | changes)  # type: ignore[arg-type]


async def test_an_incident_comes_back_as_it_was(database: Database) -> None:
    async with database.connection() as connection:
        await incidents.save(connection, INCIDENT)
        stored = await incidents.get(connection, "INC-1")
        assert stored is not None
        assert stored.incident == INCIDENT
        assert stored.status == "open"
        assert stored.incident.fired_at.utcoffset() == timedelta(0)
        assert await incidents.get(connection, "INC-2") is None


async def test_an_incident_that_comes_again_keeps_its_status(database: Database) -> None:
    async with database.connection() as connection:
        await incidents.save(connection, INCIDENT)
        await incidents.set_status(connection, "INC-1", "closed")
        await incidents.save(connection, Incident("INC-1", "now with a better title", NOON, INCIDENT.window, "UTC", ()))
        (stored,) = await incidents.recent(connection)
    assert (stored.incident.title, stored.incident.alerts, stored.status) == ("now with a better title", (), "closed")


async def test_the_latest_incidents_come_first(database: Database) -> None:
    async with database.connection() as connection:
        for name in ("INC-1", "INC-2", "INC-3"):
            await incidents.save(connection, Incident(name, "", NOON, INCIDENT.window, "UTC", ()))
        found = await incidents.recent(connection, limit=2)
    assert [stored.incident.id for stored in found] == ["INC-3", "INC-2"]


async def test_a_result_is_kept_once_under_its_hash(database: Database) -> None:
    data = {"lines": ["NUL \0 here", "surrogate \ud800", "日志"], "n": 1.5, "none": None, "big": 2**60}
    async with database.connection() as connection:
        await results.save(connection, "a" * 64, data)
        await results.save(connection, "a" * 64, {"another": "content"})
        assert await results.load(connection, "a" * 64) == data
        assert await results.load(connection, "b" * 64) is None
        assert await results.known(connection, ["b" * 64, "a" * 64]) == {"a" * 64}


async def test_a_result_read_back_has_the_hash_it_is_kept_under(database: Database) -> None:
    data = {"z": [1, 2.0, "é"], "a": {"y": True}}
    async with database.connection() as connection:
        await results.save(connection, digest(data), data)
        assert digest(await results.load(connection, digest(data))) == digest(data)


async def test_calls_come_back_in_the_order_of_asking(database: Database) -> None:
    wanted = [_call(number) for number in range(1, 13)]
    async with database.connection() as connection:
        await calls.add(connection, [*reversed(wanted), _call(1, "run-2")])
        assert list(await calls.of_investigation(connection, "run-1")) == wanted
        await calls.add(connection, [])


async def test_a_call_that_is_made_again_replaces_the_first(database: Database) -> None:
    async with database.connection() as connection:
        await calls.add(connection, [_call(1, status="timeout"), _call(2)])
        await calls.add(connection, [_call(1, status="denied"), _call(1, error="no\0 such tool", status="ok")])
        found = await calls.of_investigation(connection, "run-1")
    assert [(call.call_id, call.status, call.error) for call in found] == [
        ("log.1", "ok", "no\ufffd such tool"),
        ("log.2", "ok", ""),
    ]


async def test_investigations_of_an_incident_are_numbered(database: Database) -> None:
    async with database.connection() as connection:
        await incidents.save(connection, INCIDENT)
        assert await investigations.start(connection, "run-1", "INC-1", NOON, contract="c", fingerprint="f") == 1
        assert await investigations.start(connection, "run-2", "INC-1", NOON) == 2
        outcome = Outcome("done", NOON, "", "root_cause", 0.8, "container:web", "memory.oom_kill")
        await investigations.finish(connection, "run-1", outcome)
        second, first = await investigations.of_incident(connection, "INC-1")
        assert await investigations.get(connection, "run-1") == first
        assert await investigations.get(connection, "run-3") is None
    assert (second.status, second.ended_at, second.fencing_token) == ("running", None, 0)
    assert (first.status, first.verdict, first.confidence, first.entity, first.fault, first.contract) == (
        "done", "root_cause", 0.8, "container:web", "memory.oom_kill", "c",
    )  # fmt: skip


async def test_there_is_one_report_for_each_version_of_an_incident(database: Database) -> None:
    async with database.connection() as connection:
        await incidents.save(connection, INCIDENT)
        await investigations.start(connection, "run-1", "INC-1", NOON)
        assert await reports.save(connection, "INC-1", 1, "run-1", {"verdict": "healthy"}, "# one")
        assert not await reports.save(connection, "INC-1", 1, "run-1", {"verdict": "other"}, "# other")
        assert await reports.save(connection, "INC-1", 2, "run-1", {"verdict": "root_cause"}, "# two")
        first = await reports.get(connection, "INC-1", 1)
        last = await reports.latest(connection, "INC-1")
        assert first is not None
        assert last is not None
        assert (first.report, first.markdown) == ({"verdict": "healthy"}, "# one")
        assert (last.version, last.markdown) == (2, "# two")
        assert await reports.of_investigation(connection, "run-1") == last
        assert await reports.latest(connection, "INC-2") is None
        assert [head.version for head in await reports.recent(connection)] == [2]


async def test_a_report_of_an_unknown_investigation_is_refused(database: Database) -> None:
    async with database.connection() as connection:
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            await reports.save(connection, "INC-1", 1, "run-1", {}, "")
