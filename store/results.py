"""Tool results by their hash: what citations point into."""

from collections.abc import Iterable, Mapping

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.codec import Json
from store.queries import queries
from store.text import storable_json


async def save(connection: AsyncConnection[DictRow], sha256: str, data: Json) -> None:
    """Keep one result; a second time changes nothing."""
    await save_all(connection, {sha256: data})


async def save_all(connection: AsyncConnection[DictRow], results: Mapping[str, Json]) -> None:
    """Keep results by hash, in one round trip."""
    # in order of hash: two processes that keep the same results must not wait for each other in a ring
    hashes = sorted(results)
    contents = [storable_json(results[sha256]) for sha256 in hashes]
    await connection.execute(queries("results")["save"], {"hashes": hashes, "contents": contents})


async def load(connection: AsyncConnection[DictRow], sha256: str) -> Json:
    """The result, None where it is not kept."""
    cursor = await connection.execute(queries("results")["load"], {"sha256": sha256})
    row = await cursor.fetchone()
    return None if row is None else row["content"]


async def known(connection: AsyncConnection[DictRow], hashes: Iterable[str]) -> frozenset[str]:
    """Which of these hashes are kept."""
    cursor = await connection.execute(queries("results")["known"], {"hashes": sorted(hashes)})
    return frozenset(row["sha256"] for row in await cursor.fetchall())


async def load_all(connection: AsyncConnection[DictRow], hashes: Iterable[str]) -> dict[str, Json]:
    """Those of the results that are kept, by hash."""
    cursor = await connection.execute(queries("results")["load_all"], {"hashes": sorted(hashes)})
    return {row["sha256"]: row["content"] for row in await cursor.fetchall()}
