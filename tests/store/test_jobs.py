"""Jobs are deferred inside a caller's transaction, one waiting for each incident, and only their worker ends them."""

import asyncio
from datetime import UTC, datetime

import psycopg
from psycopg.rows import dict_row

from domain.alert import Incident, Window
from store import incidents, jobs, passes
from store.database import Database
from store.jobs import Fetched

NOW = datetime(2026, 8, 18, 10, 22, tzinfo=UTC)
FETCH = b"select id, attempts from procrastinate_fetch_job_v2(array['fishbone']::varchar[], %s)"


async def _fetched(database: Database) -> Fetched:
    """Fetch the next job as a new worker."""
    async with database.connection() as connection:
        worker = await (await connection.execute(b"select * from procrastinate_register_worker_v1()")).fetchone()
        assert worker is not None
        row = await (await connection.execute(FETCH, (worker["worker_id"],))).fetchone()
        assert row is not None
        return Fetched(row["id"], worker["worker_id"], row["attempts"])


async def _states(database: Database) -> list[str]:
    async with database.connection() as connection:
        cursor = await connection.execute(b"select status::text from procrastinate_jobs order by id")
        return [row["status"] for row in await cursor.fetchall()]


async def test_a_second_job_is_not_deferred_while_one_waits(database: Database) -> None:
    async with database.connection() as connection:
        assert await jobs.enqueue(connection, "a") == 1
        assert await jobs.enqueue(connection, "a") == 0
        assert await jobs.enqueue(connection, "b") == 1
    assert await _states(database) == ["todo", "todo"]


async def test_several_incidents_get_one_job_each_and_those_that_have_one_no_other(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "b")
        assert await jobs.enqueue(connection, "c", "a", "b", "a") == 2
        assert await jobs.enqueue(connection) == 0
        found = await connection.execute(b"select args ->> 'incident' as id, lock from procrastinate_jobs order by 1")
        assert [(row["id"], row["lock"]) for row in await found.fetchall()] == [
            (each, f"incident:{each}") for each in "abc"
        ]


async def test_a_second_job_is_deferred_while_the_first_is_worked_on(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "a")
        await _fetched(database)
        assert await jobs.enqueue(connection, "a") == 1
        row = await (await connection.execute(FETCH, (None,))).fetchone()
    assert row == {"id": None, "attempts": None}, "two workers have one incident"


async def test_a_job_goes_with_the_transaction_that_deferred_it(database: Database) -> None:
    async with database.connection() as connection, connection.transaction(force_rollback=True):
        assert await jobs.enqueue(connection, "a")
    assert await _states(database) == []


async def test_two_transactions_that_defer_at_once_defer_one_job(database: Database) -> None:
    async def one() -> int:
        async with database.connection() as connection, connection.transaction():
            return await jobs.enqueue(connection, "a")

    assert sorted(await asyncio.gather(*(one() for _ in range(6)))) == [0] * 5 + [1]
    assert await _states(database) == ["todo"]


async def test_a_waiting_job_is_not_fetched_before_what_joined_its_incident_is_committed(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "a")
    async with database.connection() as connection, connection.transaction():
        assert await jobs.enqueue(connection, "a") == 0
        async with database.connection() as other:
            assert await (await other.execute(FETCH, (None,))).fetchone() == {"id": None, "attempts": None}


async def test_a_job_that_was_given_to_another_worker_cannot_be_ended_by_the_first(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "a")
        first = await _fetched(database)
        await jobs.give_back(connection, first)
        second = await _fetched(database)
        await jobs.finish(connection, first, "succeeded", delete=True)
        assert await _states(database) == ["doing"]
        await jobs.give_back(connection, first)
        assert await _states(database) == ["doing"]
        await jobs.finish(connection, second, "succeeded", delete=True)
    assert await _states(database) == []


async def test_a_job_is_not_given_back_where_another_of_its_incident_waits(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "a")
        job = await _fetched(database)
        await jobs.enqueue(connection, "a")
        await jobs.give_back(connection, job)
    assert await _states(database) == ["todo"]


async def test_a_job_is_given_back_while_another_of_its_incident_is_being_deferred(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "a")
        job = await _fetched(database)
        async with database.connection() as other, other.transaction():
            assert await jobs.enqueue(other, "a") == 1
            giving = asyncio.create_task(jobs.give_back(connection, job))
            done, _ = await asyncio.wait({giving}, timeout=0.3)
            assert not done, "it cannot know yet whether the other one stays"
        await giving
    assert await _states(database) == ["todo"]


async def test_jobs_of_lost_workers_go_back_to_the_queue_and_others_do_not(database: Database) -> None:
    async with database.connection() as connection:
        await jobs.enqueue(connection, "lost")
        lost = await _fetched(database)
        await jobs.enqueue(connection, "kept")
        await _fetched(database)
        aged = b"update procrastinate_workers set last_heartbeat = now() - interval '1 hour' where id = %s"
        await connection.execute(aged, (lost.worker,))
    with psycopg.connect(database.dsn, autocommit=True, row_factory=dict_row) as heart:
        assert jobs.retry_stalled(heart, 0.0) >= 1
        assert jobs.retry_stalled(heart, 60.0) == 0
    assert "todo" in await _states(database)


async def test_the_queue_is_counted(database: Database) -> None:
    incident = Incident("a", "Slow", NOW, Window(NOW, NOW), "UTC", ())
    async with database.connection() as connection:
        await incidents.save(connection, incident)
        await incidents.set_status(connection, "a", "failed")
        await jobs.enqueue(connection, "b")
        await _fetched(database)
        await jobs.enqueue(connection, "c")
        found = await jobs.counts(connection, 60.0)
        assert (found.waiting, found.running, found.set_aside, found.workers) == (1, 1, 1, 1)
        assert await jobs.set_aside(connection) == (("a", "Slow", 0),)


async def test_a_second_pass_that_waits_is_no_first_report_that_waits(database: Database) -> None:
    async with database.connection() as connection:
        await passes.hand_on(connection, "a", "run-1", {})
        lines = (await jobs.counts(connection, 60.0)).lines
    assert (lines["fishbone"].waiting, lines["fishbone"].oldest_seconds) == (0, 0.0)
    assert lines["fishbone-models"].waiting == 1
    assert lines["fishbone-models"].oldest_seconds > 0
