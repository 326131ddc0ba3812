"""The log of tool calls: who asked what, and what came of it; refusals and failures too."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.codec import Json
from store.queries import queries
from store.text import storable, storable_json


@dataclass(frozen=True)
class LoggedCall:
    """One row of tool_call_log; arguments and error are redacted before they come here."""

    investigation: str  # id; of a call outside any, what stands for one (`mcp`, `doctor`)
    call_id: str  # `<agent>.<n>`
    agent: str
    entry: str  # cli | webhook | web | mcp
    identity: str
    tool: str
    tool_version: str  # of the server that answered
    arguments: dict[str, Json]
    status: str  # ok | no_data | error | denied | invalid | timeout | unavailable
    started_at: datetime  # aware UTC
    seconds: float
    error: str = ""
    result_sha256: str = ""  # empty where the call gave no result
    redactions: int = 0
    truncated: bool = False  # what was shown is shorter than the result
    original_chars: int = 0  # before the budget cut it
    text: str = ""  # what a model saw
    coverage: Json = None  # domain.evidence.Coverage


_COLUMNS: Final = tuple(field.name for field in fields(LoggedCall))


async def add(connection: AsyncConnection[DictRow], calls: Sequence[LoggedCall]) -> None:
    """Log calls, in one round trip; of two with one id in an investigation the later counts."""
    latest = {(call.investigation, call.call_id): call for call in calls}
    rows = [_to_row(latest[key]) for key in sorted(latest)]
    await connection.execute(queries("calls")["add"], {name: [row[name] for row in rows] for name in _COLUMNS})


async def of_investigation(connection: AsyncConnection[DictRow], investigation: str) -> tuple[LoggedCall, ...]:
    """All calls of an investigation, by agent, then in the order of asking."""
    cursor = await connection.execute(queries("calls")["of_investigation"], {"investigation": investigation})
    return tuple(LoggedCall(**row) for row in await cursor.fetchall())


def _to_row(call: LoggedCall) -> dict[str, Any]:
    row = {name: getattr(call, name) for name in _COLUMNS}
    texts = {name: storable(value) for name, value in row.items() if isinstance(value, str)}
    return (
        row
        | texts
        | {
            "arguments": storable_json(call.arguments),
            "coverage": storable_json(call.coverage),
        }
    )
