"""Keep the index equal to the runbooks: what is new or changed is cut and embedded, what is gone is removed."""

import asyncio
import hashlib
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from domain.runbook import Runbook
from rag.chinese import bigrams
from rag.chunk import Chunk, chunks
from rag.embed import Embedder
from store import passages
from store.database import Database
from store.passages import IndexedDocument, IndexedPassage

# Vectors are for meaning, and what a runbook means stands in its card and its first lines; words are found by full text
# in all of it. A second vector for each runbook found no more (bench/retrieval.py) and doubles the first start.
EMBEDDED_CHARS: Final = 300
ALIVE_SECONDS: Final = 2.0  # a fifth of what store/database.sql allows
PARSER: Final = "2"  # a new version cuts and embeds every document again


@dataclass(frozen=True)
class Refreshed:
    """What a refresh did."""

    indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


def fingerprint(runbook: Runbook) -> str:
    """What its passages are made from: another fingerprint, another document."""
    parts = (runbook.name, runbook.description, runbook.fault, runbook.summary, *runbook.alerts, runbook.body)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


async def refresh(database: Database, embedder: Embedder, runbooks: Iterable[Runbook]) -> Refreshed:
    """Bring the index up to date; one query when nothing changed. Any number of processes may ask at once."""
    wanted = {runbook.name: runbook for runbook in runbooks}
    heads = {name: _head(runbook, embedder) for name, runbook in wanted.items()}
    async with database.connection() as connection:
        if not any(await _differences(connection, heads)):
            return Refreshed(unchanged=len(heads))
        async with connection.transaction():
            await passages.lock(connection)
            # What another process did while this one waited need not be done again.
            changed, gone = await _differences(connection, heads)
            for name in gone:
                await passages.remove_document(connection, name)
            for name in changed:
                pieces = await _meanwhile(connection, asyncio.to_thread(cut, wanted[name], embedder))
                await passages.replace_document(connection, heads[name], pieces)
    return Refreshed(tuple(changed), tuple(gone), len(wanted) - len(changed))


async def _meanwhile(
    connection: AsyncConnection[DictRow], work: Coroutine[None, None, list[IndexedPassage]]
) -> list[IndexedPassage]:
    """What the work gives. On a busy machine vectors take longer than the database lets a transaction lie idle, which
    it does because of those that were stopped in the middle: whoever is alive says so."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.wait({task}, timeout=ALIVE_SECONDS)
        await passages.alive(connection)
    return task.result()


async def _differences(
    connection: AsyncConnection[DictRow], heads: Mapping[str, IndexedDocument]
) -> tuple[list[str], list[str]]:
    """Names of what is new or changed, and of what is gone."""
    known = {name: each for name, each in (await passages.documents(connection)).items() if each.kind == "runbook"}
    return [name for name, head in heads.items() if known.get(name) != head], sorted(known.keys() - heads.keys())


def _head(runbook: Runbook, embedder: Embedder) -> IndexedDocument:
    return IndexedDocument(runbook.name, "runbook", fingerprint(runbook), PARSER, embedder.model)


def cut(runbook: Runbook, embedder: Embedder) -> list[IndexedPassage]:
    """The passages of a runbook, ready to store."""
    found = chunks(runbook)
    vectors = [*embedder.passages([meaning(found)]), *[None] * (len(found) - 1)]
    return [
        IndexedPassage(
            runbook=runbook.name,
            fault=runbook.fault,
            heading=each.heading,
            text=each.text,
            alerts=tuple(name for name in runbook.alerts if name.isidentifier()),
            bigrams=bigrams(f"{each.heading}\n{each.text}"),
            embedding=vector,
        )
        for each, vector in zip(found, vectors, strict=True)
    ]


def meaning(found: Sequence[Chunk]) -> str:
    """What is embedded of a runbook."""
    return "\n".join(each.text for each in found[:2])[:EMBEDDED_CHARS]
