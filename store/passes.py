"""The second pass over an incident: what the first hands on to it, its job, and what the model replied."""

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.codec import Json
from store.jobs import QUEUES, TASK
from store.queries import queries
from store.text import storable, storable_json


async def hand_on(connection: AsyncConnection[DictRow], incident_id: str, investigation: str, report: Json) -> None:
    """Keep the report for a second pass, and defer its job; in the transaction that keeps the report."""
    values = {
        "id": investigation, "incident_id": incident_id, "handed": storable_json(report), "queue": QUEUES[1],
        "task": TASK, "lock": f"incident:{incident_id}:model",
    }  # fmt: skip
    await connection.execute(queries("passes")["hand"], values)
    await connection.execute(queries("passes")["defer"], values)


async def handed(connection: AsyncConnection[DictRow], investigation: str) -> Json:
    """The report that a first pass left; None where there is none any more."""
    row = await (await connection.execute(queries("passes")["handed"], {"id": investigation})).fetchone()
    return None if row is None else row["handed"]


async def forget(connection: AsyncConnection[DictRow], incident_id: str) -> None:
    """Nobody goes on from the incident's earlier reports any more."""
    await connection.execute(queries("passes")["forget"], {"incident_id": incident_id})


async def follow(connection: AsyncConnection[DictRow], investigation: str, after: str) -> None:
    """The investigation is the second pass after this one, and begins with its calls."""
    values = {"id": investigation, "after": after}
    await connection.execute(queries("passes")["follows"], values)
    await connection.execute(queries("passes")["copy_calls"], values)


async def amend(connection: AsyncConnection[DictRow], investigation: str, report: Json, markdown: str) -> None:
    """Put the report of a first pass in another wording: with the reason why no second one came."""
    values = {"id": investigation, "report": storable_json(report), "markdown": storable(markdown)}
    await connection.execute(queries("passes")["amend"], values)


async def add_reply(
    connection: AsyncConnection[DictRow], investigation: str, agent: str, turn: int, request: str, record: Json
) -> None:
    """Keep a reply of a model."""
    values = {
        "investigation": investigation, "agent": agent, "turn": turn, "request": request,
        "record": storable_json(record),
    }  # fmt: skip
    await connection.execute(queries("passes")["add_reply"], values)


async def replies(connection: AsyncConnection[DictRow], investigation: str) -> tuple[Json, ...]:
    """What the model replied, by agent, in the order of asking."""
    cursor = await connection.execute(queries("passes")["replies"], {"investigation": investigation})
    return tuple(row["record"] for row in await cursor.fetchall())
