"""The log of model calls: who asked, what it cost, and how it ended. It holds no text."""

from dataclasses import asdict, dataclass

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.model_call import CallRecord
from store.queries import queries
from store.text import storable


@dataclass(frozen=True)
class Spent:
    """What the calls of one investigation took so far."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float  # in the currency of the prices in the settings


async def add(connection: AsyncConnection[DictRow], record: CallRecord) -> None:
    """Log one call."""
    row = {name: storable(value) if isinstance(value, str) else value for name, value in asdict(record).items()}
    await connection.execute(queries("model_calls")["add"], row)


async def of_investigation(connection: AsyncConnection[DictRow], investigation: str) -> tuple[CallRecord, ...]:
    """All calls of an investigation, in the order in which they ended."""
    cursor = await connection.execute(queries("model_calls")["of_investigation"], {"investigation": investigation})
    return tuple(CallRecord(**row) for row in await cursor.fetchall())


async def spent(connection: AsyncConnection[DictRow], investigation: str) -> Spent:
    """The sum over an investigation."""
    cursor = await connection.execute(queries("model_calls")["spent"], {"investigation": investigation})
    [row] = await cursor.fetchall()
    return Spent(**row)
