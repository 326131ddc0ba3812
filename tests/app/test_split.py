"""Which alerts move to an incident of their own, and what is locked meanwhile."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from alerts import receive
from app.intake import take
from app.investigation import Outcome, redactor_of
from app.split import split
from app.writer import Writer
from domain.alert import Incident
from domain.diagnosis import AlertAccount, Diagnosis, Link, Verdict
from domain.report import Report, Run
from store import claims, incidents, splits
from store.claims import Asked, Held
from store.database import Database
from store.jobs import enqueue

STORM = timedelta(minutes=5), 10
SECRET = "https://ops:hunter22hunter22@db.example/disk"  # a fingerprint that a report does not show


async def taken(database: Database, *fingerprints: str) -> str:
    now = datetime.now(UTC)
    entries: list[dict[str, Any]] = [
        {"status": "firing", "labels": {"alertname": f"Alert{at}", "service": f"service-{at}"}, "annotations": {},
         "fingerprint": each} for at, each in enumerate(fingerprints)
    ]  # fmt: skip
    body = {"version": "4", "status": "firing", "receiver": "r", "groupKey": "g", "alerts": entries}
    (incident,) = await take(database, receive(body, now), "webhook:test", now, enqueue)
    return incident


async def moved(database: Database, incident: str, *accounts: AlertAccount) -> list[str]:
    async with database.connection() as connection:
        async with connection.transaction():
            await splits.lock(connection)
            other, count = await split(connection, incident, accounts, *STORM)
        there = [one.fingerprint for one in await splits.members(connection, other)]
    assert len(there) == count
    return there


async def test_an_account_is_of_the_alert_that_it_names_not_of_the_one_in_its_place(database: Database) -> None:
    incident = await taken(database, "a", "b", "c")
    told = AlertAccount("c", "explained"), AlertAccount("gone", "not_explained"), AlertAccount("a", "not_explained")
    assert await moved(database, incident, *told) == ["a"]


async def test_a_fingerprint_that_a_report_does_not_show_whole_is_known_again(database: Database) -> None:
    incident = await taken(database, "a", SECRET)
    shown = redactor_of(incident).redact(SECRET)
    assert shown != SECRET
    told = AlertAccount("a", "explained"), AlertAccount(shown, "not_explained")
    assert await moved(database, incident, *told) == [SECRET]


async def test_an_alert_stays_where_another_senders_of_that_fingerprint_is_explained(database: Database) -> None:
    incident = await taken(database, "a", "b")
    told = AlertAccount("a", "explained"), AlertAccount("b", "not_explained"), AlertAccount("b", "consistent")
    assert await moved(database, incident, *told) == []


async def test_a_report_waits_for_intake_before_it_holds_its_investigation(database: Database) -> None:
    name = await taken(database, "a", "b")
    async with database.connection() as connection:
        held = await claims.claim(connection, Asked(name, 1, "run-1", "contract", "code", 60.0, 3))
        stored = await incidents.get(connection, name)
    assert isinstance(held, Held) and stored is not None
    outcome = Outcome(report_of(stored.incident), (), ())
    async with database.connection() as intake, intake.transaction():
        await splits.lock(intake)
        reporting = asyncio.create_task(Writer(database, held, 5.0, STORM).report(outcome, "en"))
        done, _ = await asyncio.wait({reporting}, timeout=0.3)
        assert not done
        await intake.execute("select id from investigation for update nowait")
    await reporting
    async with database.connection() as connection:
        assert [one.fingerprint for one in await splits.members(connection, f"{name}-rest")] == ["b"]


def report_of(incident: Incident) -> Report:
    """One that explains the first of two alerts."""
    told = AlertAccount("a", "explained"), AlertAccount("b", "not_explained")
    healthy = Diagnosis(Verdict.HEALTHY, healthy=Link("a", "none.expected", "All is well."), alerts=told)
    return Report(incident, healthy, (), (), (), (), run=Run("run-1", "", 0.0))
