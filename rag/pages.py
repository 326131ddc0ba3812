"""Read a runbook, or one of its references, page by page, by logical id: no path and no URL ever comes from outside."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from domain.results import Page, Searched
from domain.runbook import Remedy, Runbook
from rag.runbooks import read_text

PAGE: Final = 8000  # characters


def read(runbooks: Mapping[str, Runbook], name: str, page: int = 1) -> Page:
    """One page by its id; a page beyond the last, or an id nobody has, comes back empty and says so."""
    text = _text(runbooks, name)
    if text is None:
        known = ", ".join(list(runbooks)[:40])
        return _empty(name, page, 0, f"no runbook {name!r}; there are: {known}" if known else "there are no runbooks")
    pages = list(_pages(text))
    if not 1 <= page <= len(pages):
        return _empty(name, page, len(pages), f"{name} has {len(pages)} pages")
    searched = Searched(name, filter=f"page={page}", matched=len(pages), returned=1, truncated=len(pages) > 1)
    return Page(name, page, len(pages), pages[page - 1], searched)


def whole(runbook: Runbook) -> str:
    """The runbook as one text: what stands in its front matter for people, then its body."""
    parts = [
        f"# {runbook.name}\n\n{runbook.description}\n\nFault: {runbook.fault}. {runbook.summary}",
        *_remedies("Now", runbook.now),
        *_remedies("Next", runbook.next),
        *_remedies("Prevention", runbook.prevention),
        *_remedies("Checks", runbook.checks),
        runbook.body.strip(),
    ]
    names = sorted(references(runbook))
    if names:
        parts.append("References: " + ", ".join(f"{runbook.name}/{each}" for each in names))
    return "\n\n".join(parts) + "\n"


def references(runbook: Runbook) -> dict[str, Path]:
    """Longer material beside a runbook, by its name."""
    if not runbook.folder:
        return {}
    return {file.stem: file for file in sorted(Path(runbook.folder, "references").glob("*.md")) if file.is_file()}


def _text(runbooks: Mapping[str, Runbook], name: str) -> str | None:
    owner, _, reference = name.partition("/")
    runbook = runbooks.get(owner)
    if runbook is None or not reference:
        return whole(runbook) if runbook else None
    # Looked up among what is there, never joined to a path.
    file = references(runbook).get(reference)
    return read_text(file) if file else None


def _remedies(title: str, remedies: tuple[Remedy, ...]) -> Iterator[str]:
    if remedies:
        lines = (f"- {each.text}" + (f": `{each.command}`" if each.command else "") for each in remedies)
        yield f"{title}:\n" + "\n".join(lines)


def _pages(text: str) -> Iterator[str]:
    """Pages that end at line ends; a line longer than a page is cut."""
    held = ""
    for line in text.splitlines(keepends=True):
        if held and len(held) + len(line) > PAGE:
            yield held
            held = ""
        held += line
        while len(held) > PAGE:
            yield held[:PAGE]
            held = held[PAGE:]
    if held:
        yield held


def _empty(name: str, page: int, pages: int, problem: str) -> Page:
    return Page(name, page, pages, "", Searched(name, filter=f"page={page}", problems=(problem,)))
