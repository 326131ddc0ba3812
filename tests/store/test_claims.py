"""A claim gives one worker the investigation; whoever had it before writes nothing more."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.rows import dict_row

from domain.alert import Incident, Window
from domain.errors import FencedOff
from store import claims, events, incidents, investigations, leases, passes
from store.claims import Asked, Held, Nothing
from store.database import Database

NOW = datetime(2026, 8, 18, 10, 22, tzinfo=UTC)
FIRST = Asked("a", 1, "run-1", "contract", "code", 60.0, 3)
SECOND = replace(FIRST, investigation="run-2")


@pytest.fixture
async def kept(database: Database) -> Database:
    """A database with one incident."""
    async with database.connection() as connection:
        await incidents.save(connection, Incident("a", "Slow", NOW, Window(NOW, NOW), "UTC", ()))
    return database


async def _claimed(database: Database, asked: Asked) -> Held | Nothing:
    async with database.connection() as connection:
        return await claims.claim(connection, asked)


async def test_whoever_takes_a_run_over_goes_on_with_it_and_shuts_the_first_out(kept: Database) -> None:
    first, second = await _claimed(kept, FIRST), await _claimed(kept, SECOND)
    assert isinstance(first, Held)
    assert isinstance(second, Held)
    assert (first.investigation, first.version, first.token, first.goes_on) == ("run-1", 1, 1, False)
    assert (second.investigation, second.version, second.token, second.goes_on) == ("run-1", 1, 2, True)
    async with kept.connection() as connection:
        with pytest.raises(FencedOff):
            await events.append(connection, "run-1", "stage", {}, first.token)
        with pytest.raises(FencedOff):
            await investigations.hold(connection, "run-1", first.token)
        with pytest.raises(FencedOff):
            await investigations.release(connection, "run-1", first.token)
        await events.append(connection, "run-1", "stage", {"of": "plan"}, second.token)
        (event,) = await events.since(connection, "run-1")
    assert (event.kind, event.data) == ("stage", {"of": "plan"})


async def test_a_take_over_waits_for_a_write_of_the_first_that_is_under_way(kept: Database) -> None:
    first = await _claimed(kept, FIRST)
    assert isinstance(first, Held)
    async with kept.connection() as connection, connection.transaction():
        await investigations.hold(connection, "run-1", first.token)
        taking = asyncio.create_task(_claimed(kept, SECOND))
        done, _ = await asyncio.wait({taking}, timeout=0.3)
        assert not done
    assert isinstance(await taking, Held)


async def test_a_job_whose_report_is_written_begins_nothing_again(kept: Database) -> None:
    first = await _claimed(kept, FIRST)
    assert isinstance(first, Held)
    async with kept.connection() as connection:
        await claims.ended(connection, first, investigations.Outcome("done", NOW, verdict="healthy"))
        assert await claims.claim(connection, SECOND) is Nothing.UNTOLD
        await investigations.notified(connection, "run-1")
        assert await claims.claim(connection, SECOND) is Nothing.DONE


async def test_a_newer_job_begins_a_new_version(kept: Database) -> None:
    await _claimed(kept, FIRST)
    newer = await _claimed(kept, replace(SECOND, job=2))
    assert isinstance(newer, Held)
    assert (newer.investigation, newer.version, newer.goes_on) == ("run-2", 2, False)
    async with kept.connection() as connection:
        left = await investigations.get(connection, "run-1")
    assert left is not None
    assert left.status == "incomplete"


async def test_what_other_code_began_is_begun_anew(kept: Database) -> None:
    await _claimed(kept, FIRST)
    newer = await _claimed(kept, replace(SECOND, fingerprint="other code"))
    assert isinstance(newer, Held)
    assert newer.version == 2


async def test_an_incident_that_lost_three_workers_is_set_aside_and_stays_so(kept: Database) -> None:
    for _ in range(3):
        assert isinstance(await _claimed(kept, FIRST), Held)
    assert await _claimed(kept, FIRST) is Nothing.SET_ASIDE
    assert await _claimed(kept, replace(SECOND, job=2)) is Nothing.SET_ASIDE
    async with kept.connection() as connection:
        assert await claims.forgive(connection, "a")
        assert isinstance(await claims.claim(connection, replace(SECOND, job=3)), Held)


async def test_workers_that_a_model_cost_are_not_counted_against_the_analyst(kept: Database) -> None:
    first = await _claimed(kept, FIRST)
    assert isinstance(first, Held)
    async with kept.connection() as connection, connection.transaction():
        await claims.ended(connection, first, investigations.Outcome("done", NOW, verdict="healthy"))
        await passes.hand_on(connection, "a", first.investigation, {})
    second = replace(FIRST, job=2, investigation="run-2", after="run-1")
    for _ in range(3):  # two of them are lost
        assert isinstance(await _claimed(kept, second), Held)
    anew = replace(FIRST, job=3, investigation="run-3")
    for goes_on in (False, True):  # and one more
        held = await _claimed(kept, anew)
        assert isinstance(held, Held), held
        assert (held.investigation, held.goes_on) == ("run-3", goes_on)
    async with kept.connection() as connection:
        await claims.ended(connection, held, investigations.Outcome("done", NOW, verdict="healthy"))


async def test_a_run_that_was_released_has_not_crashed(kept: Database) -> None:
    for _ in range(5):
        held = await _claimed(kept, FIRST)
        assert isinstance(held, Held)
        async with kept.connection() as connection:
            await investigations.release(connection, held.investigation, held.token)


async def test_failures_of_ours_count_as_crashes(kept: Database) -> None:
    aside = []
    for _ in range(3):
        held = await _claimed(kept, FIRST)
        assert isinstance(held, Held)
        async with kept.connection() as connection:
            aside.append(await claims.failed(connection, held, 3, "ValueError: odd"))
    assert aside == [False, False, True]


async def test_a_lease_is_renewed_only_for_the_token_that_counts(kept: Database) -> None:
    first, second = await _claimed(kept, FIRST), await _claimed(kept, SECOND)
    assert isinstance(first, Held)
    assert isinstance(second, Held)
    with psycopg.connect(kept.dsn, autocommit=True, row_factory=dict_row) as connection:
        assert leases.renew(connection, {"run-1": first.token}, 60.0) == frozenset()
        assert leases.renew(connection, {"run-1": second.token}, 60.0) == {"run-1"}


async def test_there_is_nothing_to_run_for_an_unknown_incident(database: Database) -> None:
    assert await _claimed(database, FIRST) is Nothing.UNKNOWN
