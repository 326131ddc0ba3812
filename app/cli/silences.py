"""`fishbone silences`: alerts that nobody wants to hear of for a while."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from rich.table import Table

from analysis.silences import matcher, written
from app.bootstrap import open_database
from app.cli.screen import output
from app.settings import load_settings
from domain.errors import BadConfiguration
from store import silences

T = TypeVar("T")
_SPAN: Final = re.compile(r"(\d{1,6})([smhd])")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def run_list() -> None:
    """Those that hold, and the last that did."""
    table, now = Table("id", "matchers", "until (UTC)", "state", "comment", box=None), datetime.now(UTC)
    for one in asyncio.run(_asked(silences.recent)):
        state = "over" if one.ends_at <= now else "waits" if one.starts_at > now else "active"
        told = " ".join(written(each) for each in one.matchers)
        table.add_row(str(one.id), told, f"{one.ends_at:%Y-%m-%d %H:%M}", state, one.comment)
    output().print(table if table.row_count else "No silence. Try: fishbone silences add severity=info --for 2h")


def run_add(matchers: Sequence[str], lasts: str, comment: str) -> None:
    """Add one from now on."""
    found = _SPAN.fullmatch(lasts)
    if found is None:
        raise BadConfiguration(f"--for {lasts}: write a number and s, m, h or d, such as 2h")
    try:
        parsed = [matcher(each) for each in matchers]
    except ValueError as exc:
        raise BadConfiguration(str(exc)) from exc
    now = datetime.now(UTC)
    until = now + timedelta(seconds=int(found[1]) * _UNITS[found[2]])
    number = asyncio.run(_asked(lambda connection: silences.add(connection, parsed, now, until, comment)))
    print(f"silence {number} holds until {until:%Y-%m-%d %H:%M} UTC")


def run_remove(number: int) -> None:
    """End one now."""
    if not asyncio.run(_asked(lambda connection: silences.finish(connection, number, datetime.now(UTC)))):
        raise BadConfiguration(f"{number}: no such silence holds; `fishbone silences` lists those there are")
    print(f"silence {number} is over")


async def _asked(query: Callable[[AsyncConnection[DictRow]], Awaitable[T]]) -> T:
    async with open_database(load_settings()) as database, database.connection() as connection:
        return await query(connection)
