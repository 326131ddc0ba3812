"""The log of model calls, and whose turn it is among their keys."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from domain.model_call import CallRecord
from store import model_calls, model_keys
from store.database import Database
from store.model_calls import Spent
from store.model_keys import KeyState, Resting

KEYS = ["a" * 64, "b" * 64, "c" * 64]


def record(**changes: Any) -> CallRecord:
    given = {
        "investigation": "run-1", "agent": "log", "turn": 1, "model": "m1", "tier": "fast",
        "started_at": datetime(2026, 11, 2, 12, tzinfo=UTC), "seconds": 1.5, "prompt_tokens": 900,
        "completion_tokens": 50, "estimated": 1000, "window_share": 0.125, "cost": 0.002, "failure": "", "attempts": 1,
        "key": "abcd1234",
    }  # fmt: skip
    return CallRecord(**given | changes)  # type: ignore[arg-type]


async def known(database: Database, count: int = 3) -> list[str]:
    async with database.connection() as connection:
        await model_keys.know(connection, KEYS[:count], "http://m/v1")
    return KEYS[:count]


async def take(database: Database, keys: list[str], preferred: str = "") -> str | Resting | None:
    async with database.connection() as connection:
        return await model_keys.take(connection, keys, preferred)


async def test_calls_come_back_as_they_were_and_add_up(database: Database) -> None:
    made = [record(), record(turn=2, failure="timeout", attempts=2, cost=0.5), record(investigation="run-2")]
    async with database.connection() as connection:
        for each in made:
            await model_calls.add(connection, each)
        assert await model_calls.of_investigation(connection, "run-1") == tuple(made[:2])
        assert await model_calls.spent(connection, "run-1") == Spent(2, 1800, 100, 0.502)
        assert await model_calls.spent(connection, "nobody") == Spent(0, 0, 0, 0.0)


async def test_the_key_that_was_unused_for_longest_is_next(database: Database) -> None:
    keys = await known(database)
    assert [await take(database, keys) for _ in range(4)] == [*KEYS, KEYS[0]]


async def test_many_workers_at_once_share_the_keys_evenly(database: Database) -> None:
    keys = await known(database)
    taken = await asyncio.gather(*(take(database, keys) for _ in range(30)))
    assert [taken.count(key) for key in keys] == [10, 10, 10]


async def test_the_preferred_key_is_taken_while_it_is_free(database: Database) -> None:
    keys = await known(database)
    assert [await take(database, keys, KEYS[1]) for _ in range(3)] == [KEYS[1]] * 3
    async with database.connection() as connection:
        await model_keys.rest(connection, KEYS[1], 60, "rate_limit")
    assert await take(database, keys, KEYS[1]) == KEYS[0]


async def test_when_all_rest_it_is_told_how_long_and_why(database: Database) -> None:
    keys = await known(database, 2)
    async with database.connection() as connection:
        await model_keys.rest(connection, KEYS[0], 60, "rate_limit")
        await model_keys.rest(connection, KEYS[0], 5, "overload")  # does not shorten the first
        await model_keys.rest(connection, KEYS[1], 900, "budget")
    found = await take(database, keys)
    assert isinstance(found, Resting) and 55 < found.seconds <= 60


async def test_a_rest_that_is_over_is_over(database: Database) -> None:
    keys = await known(database, 1)
    async with database.connection() as connection:
        await model_keys.rest(connection, KEYS[0], 0, "rate_limit")
    assert await take(database, keys) == KEYS[0]


async def test_a_disabled_key_is_not_given_until_it_is_enabled(database: Database) -> None:
    keys = await known(database, 1)
    async with database.connection() as connection:
        await model_keys.disable(connection, KEYS[0], "401: no such key")
        assert await model_keys.states(connection, keys) == (KeyState(KEYS[0], 0, "disabled", "401: no such key"),)
    assert await take(database, keys) is None
    async with database.connection() as connection:
        await model_keys.know(connection, keys, "http://m/v1")  # a restart forgives nothing
    assert await take(database, keys) is None
    async with database.connection() as connection:
        await model_keys.enable(connection, KEYS[0])
    assert await take(database, keys) == KEYS[0]


async def test_a_disabled_key_that_was_replaced_is_forgotten(database: Database) -> None:
    keys = await known(database)
    async with database.connection() as connection:
        for key in keys[:2]:
            await model_keys.disable(connection, key, "401")
        await model_keys.forget(connection, [keys[1]])
        left = await model_keys.states(connection, keys)
    assert [state.hash for state in left] == keys[1:]
