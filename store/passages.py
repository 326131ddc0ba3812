"""The index of runbooks and confirmed past incidents: documents, cut into passages, found by words and by meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from store.queries import queries
from store.text import storable, storable_json

KINDS: Final = ("runbook", "incident")


@dataclass(frozen=True)
class IndexedDocument:
    """What the index knows of a document; when all of it is as before, nothing need be done."""

    name: str
    kind: str  # runbook | incident
    sha256: str  # of the text it was made from
    parser: str  # version of what cut it into passages
    model: str = ""  # that embedded its passages; empty: none did


@dataclass(frozen=True)
class IndexedPassage:
    """A piece of a document to index."""

    runbook: str
    fault: str
    heading: str
    text: str
    alerts: tuple[str, ...] = ()  # exact names of alerts it answers
    bigrams: tuple[str, ...] = ()  # pairs of characters of what is written without blanks
    embedding: Sequence[float] | None = None


@dataclass(frozen=True)
class FoundPassage:
    """A passage with how it was found. Ranks count from 1; None where that way did not find it."""

    document: str
    ordinal: int  # from 1, within the document
    kind: str
    runbook: str
    fault: str
    heading: str
    text: str
    alerts: tuple[str, ...]
    vector_rank: int | None = None
    text_rank: int | None = None
    similarity: float | None = None  # cosine, -1..1
    text_score: float = 0.0  # BM25
    score: float = 0.0  # sum of 1/(60+rank)


async def documents(connection: AsyncConnection[DictRow]) -> dict[str, IndexedDocument]:
    """All that is indexed, by name."""
    cursor = await connection.execute(queries("passages")["documents"])
    return {row["name"]: IndexedDocument(**row) for row in await cursor.fetchall()}


async def lock(connection: AsyncConnection[DictRow]) -> None:
    """Have the index to oneself until the transaction ends: two who replace one document at once would collide."""
    await connection.execute(queries("passages")["lock"])


async def alive(connection: AsyncConnection[DictRow]) -> None:
    """Tell the database that the transaction is still wanted."""
    await connection.execute(queries("passages")["alive"])


async def replace_document(
    connection: AsyncConnection[DictRow], document: IndexedDocument, passages: Sequence[IndexedPassage]
) -> None:
    """Put a document and its passages in the place of what was indexed under its name."""
    sql = queries("passages")
    head = {
        "name": document.name, "kind": document.kind, "sha256": document.sha256, "parser": document.parser,
        "model": document.model,
    }  # fmt: skip
    async with connection.transaction():
        await connection.execute(sql["remove_document"], {"name": document.name})
        await connection.execute(sql["add_document"], head)
        await connection.execute(sql["add_passages"], head | _columns(passages))


async def remove_document(connection: AsyncConnection[DictRow], name: str) -> None:
    """Forget a document."""
    await connection.execute(queries("passages")["remove_document"], {"name": name})


async def by_alert(
    connection: AsyncConnection[DictRow], alerts: Sequence[str], kinds: Sequence[str] = KINDS
) -> tuple[FoundPassage, ...]:
    """Passages whose document answers an alert of exactly one of these names, in order of document, then place."""
    cursor = await connection.execute(queries("passages")["by_alert"], {"alerts": list(alerts), "kinds": list(kinds)})
    return tuple(_from_row(row) for row in await cursor.fetchall())


async def of_document(connection: AsyncConnection[DictRow], name: str) -> tuple[FoundPassage, ...]:
    """All passages of a document, in order."""
    cursor = await connection.execute(queries("passages")["of_document"], {"name": name})
    return tuple(_from_row(row) for row in await cursor.fetchall())


async def search(
    connection: AsyncConnection[DictRow],
    query: str,
    *,
    bigrams: Sequence[str] = (),
    embedding: Sequence[float] | None = None,
    model: str = "",
    kinds: Sequence[str] = KINDS,
    limit: int = 10,
    depth: int = 50,
) -> tuple[FoundPassage, ...]:
    """The best passages for a question: by words (BM25) and by vectors of `model`, fused by rank; ties by name.

    Any word may hit: the query is not a phrase. `depth` is how many each of the two ways hands to the fusion.
    """
    cursor = await connection.execute(
        queries("passages")["search"],
        {
            "query": storable(query), "bigrams": [storable(pair) for pair in bigrams], "embedding": _vector(embedding),
            "model": model, "kinds": list(kinds), "limit": limit, "depth": depth,
        },
    )  # fmt: skip
    return tuple(_from_row(row) for row in await cursor.fetchall())


def _columns(passages: Sequence[IndexedPassage]) -> dict[str, list[Any]]:
    return {
        "runbooks": [storable(passage.runbook) for passage in passages],
        "faults": [storable(passage.fault) for passage in passages],
        "headings": [storable(passage.heading) for passage in passages],
        "bodies": [storable(passage.text) for passage in passages],
        "alerts": [storable_json([storable(name) for name in passage.alerts]) for passage in passages],
        "bigrams": [storable_json(sorted({storable(pair) for pair in passage.bigrams})) for passage in passages],
        "embeddings": [_vector(passage.embedding) for passage in passages],
    }


def _vector(embedding: Sequence[float] | None) -> str | None:
    return None if embedding is None else "[" + ",".join(f"{float(value):.7g}" for value in embedding) + "]"


def _from_row(row: DictRow) -> FoundPassage:
    known = {key: value for key, value in row.items() if key not in ("body", "alerts")}
    return FoundPassage(text=row["body"], alerts=tuple(row["alerts"]), **known)
