"""Brings the schema up to date: numbered SQL files, each applied once and remembered with its hash."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.errors import BadConfiguration
from store.foreign import add_foreign, is_complete
from store.queries import queries

FOLDER: Final = Path(__file__).parent / "migrations"


@dataclass(frozen=True)
class Migration:
    """One step of the schema."""

    name: str  # NNNN_what
    sha256: str
    sql: bytes


@cache
def migrations(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """The steps in order."""
    files = sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple(Migration(file.stem, hashlib.sha256(sql := file.read_bytes()).hexdigest(), sql) for file in files)


async def migrate(connection: AsyncConnection[DictRow], folder: Path = FOLDER) -> tuple[str, ...]:
    """Apply what is missing and give its names. Any number of processes may ask at once.

    Raises BadConfiguration when an applied file has changed or is unknown here, or an extension is missing.
    """
    sql = queries("migrate")
    steps = migrations(folder)
    if not _missing(steps, await _applied(connection)) and await is_complete(connection):
        return ()
    await connection.execute(sql["lock"])
    try:
        await connection.execute(sql["create_table"])
        missing = _missing(steps, await _applied(connection))
        for step in missing:
            await _apply(connection, step)
        await add_foreign(connection)
    finally:
        await connection.execute(sql["unlock"])
    return tuple(step.name for step in missing)


async def is_current(connection: AsyncConnection[DictRow]) -> bool:
    """Whether the database has all that this fishbone needs. Raises BadConfiguration where it has what is unknown."""
    return not _missing(migrations(), await _applied(connection)) and await is_complete(connection)


async def _applied(connection: AsyncConnection[DictRow]) -> dict[str, str]:
    try:
        cursor = await connection.execute(queries("migrate")["applied"])
    except psycopg.errors.UndefinedTable:
        return {}
    return {row["name"]: row["sha256"] for row in await cursor.fetchall()}


def _missing(steps: tuple[Migration, ...], applied: dict[str, str]) -> tuple[Migration, ...]:
    if unknown := sorted(applied.keys() - {step.name for step in steps}):
        raise BadConfiguration(f"the database was migrated by a newer fishbone: {unknown[0]} is unknown here")
    for step in steps:
        if applied.get(step.name, step.sha256) != step.sha256:
            raise BadConfiguration(
                f"migration {step.name} has changed since it was applied: restore the file and add a new one"
            )
    return tuple(step for step in steps if step.name not in applied)


async def _apply(connection: AsyncConnection[DictRow], step: Migration) -> None:
    try:
        async with connection.transaction():
            await connection.execute(step.sql)
            await connection.execute(queries("migrate")["record"], {"name": step.name, "sha256": step.sha256})
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
    ) as exc:
        raise BadConfiguration(
            f"migration {step.name}: {exc.diag.message_primary}; fishbone needs the extensions vector and pg_trgm, "
            "which an administrator can create beforehand"
        ) from exc
