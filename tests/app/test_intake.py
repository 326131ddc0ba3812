"""How alerts become incidents, over the real database."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from alerts import Received, receive
from analysis.grouping import Limits
from analysis.silences import matcher
from app.intake import Rules, take
from app.prune import prune
from store import alerts, incidents, silences
from store.database import Database
from store.jobs import enqueue
from store.numbers import numbers

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
LATER = timedelta(minutes=1)


def entry(name: str = "DiskFull", host: str = "db-1", **changes: Any) -> dict[str, Any]:
    return {
        "status": "firing", "labels": {"alertname": name, "instance": f"{host}:9100"},
        "annotations": {"summary": f"{name} on {host}"}, "startsAt": "2026-03-04T10:22:00Z",
        "fingerprint": f"{name}-{host}", **changes,
    }  # fmt: skip


def group(*entries: Any, key: str = "") -> Received:
    body: dict[str, Any] = {"version": "4", "status": "firing", "receiver": "fishbone", "alerts": list(entries)}
    return receive(body | ({"groupKey": key} if key else {}), NOW)


def resolved(**of: Any) -> dict[str, Any]:
    return entry(status="resolved", endsAt="2026-03-04T10:29:00Z", **of)


class Desk:
    """Takes posts, and remembers what was put into the queue."""

    def __init__(self, database: Database, rules: Rules | None = None) -> None:
        self.database, self.rules = database, rules or Rules()
        self.queued: list[str] = []

    async def take(self, received: Received, after: timedelta = timedelta()) -> tuple[str, ...]:
        return await take(self.database, received, "webhook:test", NOW + after, self._enqueue, self.rules)

    async def _enqueue(self, connection: AsyncConnection[DictRow], *incident_ids: str) -> int:
        self.queued += incident_ids
        return await enqueue(connection, *incident_ids)

    async def rows(self, query: str) -> Sequence[dict[str, Any]]:
        async with self.database.connection() as connection:
            return await (await connection.execute(query.encode())).fetchall()

    async def accounts(self) -> list[tuple[str, str | None]]:
        return [(row["account"], row["incident_id"]) for row in await self.rows("select * from alert order by id")]

    async def status(self, incident: str) -> str:
        async with self.database.connection() as connection:
            found = await incidents.get(connection, incident)
        assert found is not None
        return found.status


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


async def test_a_first_alert_opens_an_incident_and_puts_it_into_the_queue(desk: Desk):
    (incident,) = await desk.take(group(entry()))

    assert desk.queued == [incident]
    async with desk.database.connection() as connection:
        found = await incidents.get(connection, incident)
    assert found is not None
    assert (found.incident.title, found.status) == ("DiskFull on db-1", "open")
    assert [alert.name for alert in found.incident.alerts] == ["DiskFull"]
    assert found.incident.fired_at == datetime(2026, 3, 4, 10, 22, tzinfo=UTC)
    assert found.incident.window.end == NOW


async def test_a_second_alert_with_the_same_fingerprint_joins_the_open_incident_without_a_job(desk: Desk):
    (first,) = await desk.take(group(entry()))
    (again,) = await desk.take(group(entry()), timedelta(hours=4))

    assert again == first
    assert await desk.accounts() == [("new", first), ("duplicate", first)]
    assert desk.queued == [first]


async def test_alerts_of_one_group_are_one_incident_for_an_hour_and_it_is_looked_into_again(desk: Desk):
    key = '{}:{alertname="Slow"}'
    (first,) = await desk.take(group(entry("Slow", "a"), key=key))
    (second,) = await desk.take(group(entry("Slow", "b"), key=key), timedelta(minutes=50))
    (third,) = await desk.take(group(entry("Slow", "c"), key=key), timedelta(hours=3))

    assert first == second != third
    assert desk.queued == [first, first, third]


async def test_a_group_of_everything_groups_only_what_comes_close_together(desk: Desk):
    (first,) = await desk.take(group(entry("Slow", "a"), key="{}:{}"))
    (second,) = await desk.take(group(entry("Dead", "b"), key="{}:{}"), LATER)
    (third,) = await desk.take(group(entry("Full", "c"), key="{}:{}"), timedelta(minutes=20))

    assert first == second != third


async def test_alerts_about_the_same_host_are_one_incident_only_when_close_together(desk: Desk):
    (first,) = await desk.take(group(entry("DiskFull", "db-1")))
    (second,) = await desk.take(group(entry("LoadHigh", "db-1")), LATER)
    (third,) = await desk.take(group(entry("Dead", "db-1")), timedelta(minutes=20))

    assert first == second != third


async def test_alerts_about_two_hosts_that_nothing_connects_are_two_incidents(desk: Desk):
    assert len(await desk.take(group(entry(host="db-1"), entry(host="web-7")))) == 2


async def test_alerts_of_one_scrape_job_on_two_hosts_are_two_incidents(desk: Desk):
    def of(host: str) -> dict[str, Any]:
        labels = {"alertname": "DiskFull", "instance": f"{host}:9100", "job": "node"}
        return entry(host=host, labels=labels)

    assert len(await desk.take(group(of("db-1"), of("web-7")))) == 2


async def test_an_alert_about_what_another_needs_joins_it(desk: Desk):
    async with desk.database.connection() as connection:
        await alerts.learn(connection, [("service:web", "database:Orders")])
    web = entry("Slow", labels={"alertname": "Slow", "service": "web"}, fingerprint="w")
    orders = entry("Full", labels={"alertname": "Full", "datname": "orders"}, fingerprint="o")
    (first,) = await desk.take(group(web))
    (second,) = await desk.take(group(orders), LATER)

    assert first == second
    assert (await desk.rows("select why from alert order by id desc limit 1"))[0]["why"] == "depends: about web"


async def test_an_incident_closes_when_all_its_alerts_are_resolved(desk: Desk):
    key = '{}:{a="b"}'
    (incident,) = await desk.take(group(entry("A"), entry("B"), key=key))
    assert await desk.take(group(resolved(name="A"), key=key), LATER) == (incident,)
    assert await desk.status(incident) == "open"
    await desk.take(group(resolved(name="B"), key=key), LATER)

    assert await desk.status(incident) == "closed"
    assert desk.queued == [incident]


async def test_what_is_resolved_without_an_incident_is_accounted_for_and_opens_none(desk: Desk):
    assert await desk.take(group(resolved())) == ()
    assert await desk.accounts() == [("resolved", None)]


async def test_an_alert_that_fires_again_at_once_opens_its_incident_again_without_a_job(desk: Desk):
    (incident,) = await desk.take(group(entry()))
    await desk.take(group(resolved()), LATER)
    (again,) = await desk.take(group(entry()), 2 * LATER)

    assert again == incident
    assert await desk.status(incident) == "open"
    assert (await desk.accounts())[-1] == ("cooldown", incident)
    assert desk.queued == [incident]
    await desk.take(group(resolved()), 3 * LATER)
    assert await desk.status(incident) == "closed"


async def test_an_alert_that_fires_again_after_the_cooldown_is_a_new_incident(desk: Desk):
    (first,) = await desk.take(group(entry()))
    await desk.take(group(resolved()), LATER)
    (second,) = await desk.take(group(entry()), timedelta(hours=1))

    assert second != first
    assert desk.queued == [first, second]


async def test_an_incident_that_nobody_resolves_is_over_after_a_day_of_silence(desk: Desk):
    (first,) = await desk.take(group(entry()))
    (second,) = await desk.take(group(entry()), timedelta(days=2))

    assert second != first
    assert [await desk.status(each) for each in (first, second)] == ["closed", "open"]


async def test_an_incident_that_was_set_aside_stays_visible_however_long_nothing_is_heard_of_it(desk: Desk):
    (first,) = await desk.take(group(entry()))
    await desk.rows(f"update incident set status = 'failed' where id = '{first}' returning id")
    await desk.take(group(entry(host="web-7")), timedelta(days=2))

    assert await desk.status(first) == "failed"


async def test_what_became_of_alerts_long_ago_is_forgotten_but_counted_and_open_incidents_keep_theirs(desk: Desk):
    month = timedelta(days=30)
    (open_,) = await desk.take(group(entry()))
    (closed,) = await desk.take(group(entry(host="web-7")))
    await desk.take(group(resolved(host="web-7")), LATER)
    await desk.rows("update alert set received_at = now() - interval '31 days' returning id")
    await desk.take(group(resolved(host="gone")), LATER)
    await desk.rows("update alert set received_at = now() where fingerprint = 'DiskFull-gone' returning id")
    assert await prune(desk.database, month.total_seconds()) == 2

    assert [incident for _, incident in await desk.accounts()] == [open_, None]
    assert closed in {row["id"] for row in await desk.rows("select id from incident")}
    async with desk.database.connection() as connection:
        counted = (await numbers(connection, (1.0,))).alerts
    assert sum(counted.values()) == 4
    assert await prune(desk.database, month.total_seconds()) == 0


async def test_a_silenced_alert_is_accounted_for_and_opens_nothing(desk: Desk):
    async with desk.database.connection() as connection:
        matchers = [matcher('alertname=~"Disk.*"'), matcher("instance!=web-1:9100")]
        silence = await silences.add(connection, matchers, NOW, NOW + timedelta(hours=1), "being mended")
    (loud,) = await desk.take(group(entry(), entry(host="web-1")))

    assert await desk.accounts() == [("silenced", None), ("new", loud)]
    async with desk.database.connection() as connection:
        assert await silences.finish(connection, silence, NOW)
    assert len(await desk.take(group(entry()), LATER)) == 1


async def test_an_alert_that_starts_long_ago_or_in_the_future_is_looked_at_from_now(desk: Desk):
    for n, start in enumerate(("2021-01-01T00:00:00Z", "2026-03-04T11:30:00Z")):
        (incident,) = await desk.take(group(entry(host=f"h{n}", startsAt=start)))
        async with desk.database.connection() as connection:
            found = await incidents.get(connection, incident)
        assert found is not None
        assert found.incident.fired_at == NOW
    assert any("clock" in gap for gap in found.incident.gaps)


async def test_secrets_in_an_alert_are_not_kept(desk: Desk):
    await desk.take(group(entry(annotations={"summary": "login with password=hunter2-x9 fails"})))

    for table in ("alert", "incident_alert", "incident"):
        assert "hunter2" not in str(await desk.rows(f"select * from {table}"))


async def test_text_that_no_column_takes_is_kept_and_found_again(desk: Desk):
    odd = entry("a\0b\ud800", host="h\0", fingerprint="f\0")
    (first,) = await desk.take(group(odd))
    (second,) = await desk.take(group(odd), LATER)

    assert first == second
    assert [account for account, _ in await desk.accounts()] == ["new", "duplicate"]


async def test_two_processes_that_receive_the_same_alert_at_once_make_one_incident(dsn: str):
    databases = [await Database.open(dsn) for _ in range(2)]
    desks = [Desk(each) for each in databases]
    told = await asyncio.gather(*(desk.take(group(entry())) for desk in desks * 4))

    assert len(set(told)) == 1
    assert sorted(account for account, _ in await desks[0].accounts()) == ["duplicate"] * 7 + ["new"]
    assert len(await desks[0].rows("select id from procrastinate_jobs")) == 1
    for each in databases:
        await each.close()


async def test_a_storm_of_ten_thousand_alerts_becomes_few_incidents_and_every_alert_is_accounted_for(desk: Desk):
    for n in range(100):
        some = [entry(f"Alert{n % 40}", f"host-{(n * 100 + m) % 700}", fingerprint=f"f{n}-{m}") for m in range(100)]
        await desk.take(group(*some), timedelta(seconds=0.6 * n))

    assert len(await desk.rows("select id from incident")) <= 20
    (counted,) = await desk.rows("select count(*) as all, count(incident_id) as inside from alert")
    assert counted == {"all": 10_000, "inside": 10_000}
    assert len(await desk.rows("select * from incident_alert")) == 10_000


async def test_after_the_storm_a_new_alert_has_an_incident_of_its_own(database: Database):
    desk = Desk(database, Rules(Limits(storm=2)))
    for n in range(5):
        await desk.take(group(entry(host=f"h{n}")))
    assert len(await desk.rows("select id from incident")) == 3
    (after,) = await desk.take(group(entry(host="calm")), timedelta(minutes=10))

    assert (await desk.accounts())[-1] == ("new", after)


async def test_what_trickles_in_does_not_keep_a_storm_alive(database: Database):
    desk = Desk(database, Rules(Limits(storm=3)))
    for n in range(6):
        await desk.take(group(entry(host=f"h{n}")))
    assert len(await desk.rows("select id from incident")) == 4
    (collects,) = await desk.take(group(entry(host="last")), timedelta(minutes=4))
    (calm,) = await desk.take(group(entry(host="calm")), timedelta(minutes=7))

    assert calm != collects and (await desk.accounts())[-1] == ("new", calm)


async def test_a_storm_that_goes_on_is_collected_beyond_its_window(database: Database):
    desk = Desk(database, Rules(Limits(storm=3)))
    for n in range(30):
        await desk.take(group(entry(host=f"h{n}")), timedelta(minutes=n))

    assert len(await desk.rows("select id from incident")) == 4


async def test_when_the_transaction_fails_nothing_of_the_post_is_kept(desk: Desk):
    async def fails(connection: AsyncConnection[DictRow], incident_id: str) -> bool:
        raise RuntimeError("no queue")

    with pytest.raises(RuntimeError):
        await take(desk.database, group(entry()), "webhook:test", NOW, fails)
    assert await desk.rows("select id from incident union all select name from alert") == []
