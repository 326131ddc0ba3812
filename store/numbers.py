"""Numbers of the whole house for monitoring: read from the database, so that every process gives the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.queries import queries


@dataclass(frozen=True)
class Histogram:
    """How many were at most so long; bounds are the caller's."""

    buckets: tuple[int, ...]
    count: int
    sum: float


@dataclass(frozen=True)
class ModelCalls:
    """Calls of one model that ended in one way."""

    count: int
    attempts: int  # HTTP requests
    prompt_tokens: int
    completion_tokens: int
    cost: float
    seconds: float


@dataclass(frozen=True)
class Numbers:
    """Counts by the names of their groups."""

    alerts: dict[tuple[str, str], int]  # source, account
    incidents: dict[str, int]  # status
    investigations: dict[tuple[str, str], int]  # status, verdict
    seconds: Histogram  # of investigations that have a report
    calls: dict[tuple[str, str], int]  # tool, status
    call_seconds: dict[tuple[str, str], float]
    notifications: dict[tuple[str, str], int]  # channel, state
    models: dict[tuple[str, str, str], ModelCalls]  # tier, model, failure class
    keys: dict[str, int]  # state


async def numbers(connection: AsyncConnection[DictRow], bounds: Sequence[float]) -> Numbers:
    """All of them, as they are now."""

    async def rows(query: str, **values: object) -> list[DictRow]:
        return await (await connection.execute(queries("numbers")[query], values or None)).fetchall()

    [took] = await rows("seconds", bounds=list(bounds))
    calls = await rows("calls")
    return Numbers(
        {(row["source"], row["account"]): row["count"] for row in await rows("alerts")},
        {row["status"]: row["count"] for row in await rows("incidents")},
        {(row["status"], row["verdict"]): row["count"] for row in await rows("investigations")},
        Histogram(tuple(took["buckets"]), took["count"], took["sum"]),
        {(row["tool"], row["status"]): row["count"] for row in calls},
        {(row["tool"], row["status"]): row["seconds"] for row in calls},
        {(row["channel"], row["state"]): row["count"] for row in await rows("notifications")},
        {(row.pop("tier"), row.pop("model"), row.pop("failure")): ModelCalls(**row) for row in await rows("models")},
        {row["state"]: row["count"] for row in await rows("keys")},
    )
