"""API keys of models, known by their hash alone: who was used when, who rests until when, who is not valid."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.queries import queries
from store.text import storable


@dataclass(frozen=True)
class Resting:
    """No key is free."""

    seconds: float  # until the first one is
    failure: str  # why it rests


@dataclass(frozen=True)
class KeyState:
    """One key."""

    hash: str
    taken: int  # calls made with it
    state: str  # free | resting | disabled
    why: str


async def know(connection: AsyncConnection[DictRow], hashes: Sequence[str], address: str) -> None:
    """Make keys known."""
    await connection.execute(queries("model_keys")["know"], {"hashes": list(hashes), "address": storable(address)})


async def forget(connection: AsyncConnection[DictRow], used: Sequence[str]) -> None:
    """Drop disabled keys but for those that are used: they were replaced."""
    await connection.execute(queries("model_keys")["forget"], {"hashes": list(used)})


async def take(
    connection: AsyncConnection[DictRow], hashes: Sequence[str], preferred: str = ""
) -> str | Resting | None:
    """A free one of the keys, counted as used; else when there is one; None when all are disabled."""
    sql, values = queries("model_keys"), {"hashes": list(hashes), "preferred": preferred}
    async with connection.transaction():
        await connection.execute(sql["turn"])
        row = await (await connection.execute(sql["take"], values)).fetchone()
    if row is not None:
        return str(row["hash"])
    row = await (await connection.execute(sql["soonest"], {"hashes": list(hashes)})).fetchone()
    return None if row is None else Resting(max(row["seconds"] or 0.0, 0.0), row["rests_for"])


async def rest(connection: AsyncConnection[DictRow], hash: str, seconds: float, failure: str) -> None:
    """Nobody uses the key for so long; a longer rest that it has already stays."""
    await connection.execute(queries("model_keys")["rest"], {"hash": hash, "seconds": seconds, "failure": failure})


async def disable(connection: AsyncConnection[DictRow], hash: str, why: str) -> None:
    """Nobody uses the key until it is enabled."""
    await connection.execute(queries("model_keys")["disable"], {"hash": hash, "why": storable(why)})


async def enable(connection: AsyncConnection[DictRow], hash: str) -> None:
    """The key was seen to work."""
    await connection.execute(queries("model_keys")["enable"], {"hash": hash})


async def states(connection: AsyncConnection[DictRow], hashes: Sequence[str]) -> tuple[KeyState, ...]:
    """What is known of the keys."""
    cursor = await connection.execute(queries("model_keys")["states"], {"hashes": list(hashes)})
    return tuple(KeyState(**row) for row in await cursor.fetchall())
