"""The runbook index: what goes in comes out, by words and by meaning."""

from dataclasses import replace

from store import passages
from store.database import Database
from store.passages import IndexedDocument, IndexedPassage

OOM = IndexedPassage(
    "oom-kill", "memory.oom_kill", "OOM kill > Meaning", "The kernel killed a process of the container: exit code 137.",
    ("KubePodCrashLooping", "ContainerOOMKilled"), (), (1.0, 0.0, 0.0),
)  # fmt: skip
DISK = IndexedPassage(
    "disk-full", "disk.full", "Disk full > Mitigation", "Remove old files, the filesystem has no space left.",
    ("NodeFilesystemSpaceFillingUp",), ("磁盘", "盘已", "已满"), (0.0, 1.0, 0.0),
)  # fmt: skip


async def _index(database: Database, *pieces: IndexedPassage, model: str = "tiny", kind: str = "runbook") -> None:
    async with database.connection() as connection:
        for piece in pieces:
            document = IndexedDocument(piece.runbook, kind, "a" * 64, "1", model)
            await passages.replace_document(connection, document, [piece])


async def test_documents_tell_what_they_were_made_from(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        assert await passages.documents(connection) == {
            "disk-full": IndexedDocument("disk-full", "runbook", "a" * 64, "1", "tiny"),
            "oom-kill": IndexedDocument("oom-kill", "runbook", "a" * 64, "1", "tiny"),
        }


async def test_replacing_a_document_leaves_nothing_of_the_old_one(database: Database) -> None:
    await _index(database, OOM)
    async with database.connection() as connection:
        document = IndexedDocument("oom-kill", "runbook", "b" * 64, "2", "tiny")
        await passages.replace_document(
            connection, document, [replace(OOM, text="new\0text"), replace(OOM, heading="two")]
        )
        found = await passages.of_document(connection, "oom-kill")
        assert [(piece.ordinal, piece.heading, piece.text) for piece in found] == [
            (1, "OOM kill > Meaning", "new\ufffdtext"),
            (2, "two", OOM.text),
        ]
        assert (await passages.documents(connection))["oom-kill"].sha256 == "b" * 64
        await passages.remove_document(connection, "oom-kill")
        assert await passages.documents(connection) == {}
        assert await passages.of_document(connection, "oom-kill") == ()


async def test_a_whole_question_finds_a_passage_that_holds_some_of_its_words(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        found = await passages.search(connection, "why is there no space left on the filesystem of my node?")
    assert [piece.runbook for piece in found] == ["disk-full"]
    assert found[0].text_rank == 1
    assert found[0].vector_rank is None
    assert found[0].alerts == ("NodeFilesystemSpaceFillingUp",)


async def test_stop_words_alone_find_nothing(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        assert await passages.search(connection, "the of and has") == ()
        assert await passages.search(connection, "") == ()


async def test_a_question_may_hold_whatever_a_stranger_wrote(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        found = await passages.search(connection, "' | \\ & !:* <-> \0 \ud800 'exit'':137\\")
    assert [piece.runbook for piece in found] == ["oom-kill"]


async def test_chinese_is_found_by_pairs_of_characters(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        found = await passages.search(connection, "磁盘空间不足", bigrams=["磁盘", "盘空", "空间"])
    assert [piece.runbook for piece in found] == ["disk-full"]


async def test_meaning_and_words_are_fused_by_rank_and_ties_go_by_name(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        found = await passages.search(connection, "exit code", embedding=(0.1, 0.9, 0.0), model="tiny")
    assert [(piece.runbook, piece.vector_rank, piece.text_rank) for piece in found] == [
        ("oom-kill", 2, 1),
        ("disk-full", 1, None),
    ]
    assert found[0].score == 1 / 61 + 1 / 62
    assert found[1].similarity is not None
    assert found[1].similarity > 0.99


async def test_equal_scores_are_ordered_by_document(database: Database) -> None:
    await _index(database, replace(OOM, runbook="b"), replace(OOM, runbook="a"), replace(OOM, runbook="c"))
    async with database.connection() as connection:
        found = await passages.search(connection, "kernel", embedding=(1, 0, 0), model="tiny", limit=2)
    assert [piece.document for piece in found] == ["a", "b"]


async def test_vectors_of_another_model_are_never_compared(database: Database) -> None:
    await _index(database, OOM, model="tiny")
    await _index(database, replace(DISK, embedding=(0.0, 1.0)), model="other")
    async with database.connection() as connection:
        found = await passages.search(connection, "", embedding=(1.0, 0.0, 0.0), model="tiny")
        assert [piece.runbook for piece in found] == ["oom-kill"]
        assert await passages.search(connection, "", embedding=(1.0, 0.0, 0.0), model="third") == ()


async def test_only_the_kinds_asked_for_are_found(database: Database) -> None:
    await _index(database, OOM)
    await _index(database, replace(OOM, runbook="INC-1"), kind="incident")
    async with database.connection() as connection:
        found = await passages.search(connection, "kernel", kinds=["incident"])
        assert [(piece.document, piece.kind) for piece in found] == [("INC-1", "incident")]
        assert len(await passages.search(connection, "kernel")) == 2


async def test_a_passage_is_found_by_the_exact_name_of_its_alert(database: Database) -> None:
    await _index(database, OOM, DISK)
    async with database.connection() as connection:
        found = await passages.by_alert(connection, ["ContainerOOMKilled", "Unknown"])
    assert [piece.runbook for piece in found] == ["oom-kill"]
