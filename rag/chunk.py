"""Cut a runbook into passages: one card that says what it is for, then its text by heading path."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt

from analysis.wording import strip_fields
from domain.runbook import Runbook
from rag.names import words

SIZE: Final = 1500  # characters of a passage, roughly 400 tokens
CARD: Final = "What it is"
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Chunk:
    """A passage before it is indexed."""

    heading: str  # path of headings, joined by " > "
    text: str


def chunks(runbook: Runbook) -> list[Chunk]:
    """The passages of a runbook, its card first."""
    title = runbook.name.replace("-", " ")
    found = [Chunk(f"{title} > {CARD}", card(runbook))]
    for path, text in sections(runbook.body):
        found.append(Chunk(" > ".join((title, *path)), text))
    return found


def card(runbook: Runbook) -> str:
    """What a runbook is for, in the words of an alert: names it answers in one piece and as words."""
    names = [name for name in runbook.alerts if re.fullmatch(r"\w+", name)]
    spoken = [" ".join(words(name)) for name in names]
    lines = (
        runbook.description,
        strip_fields(runbook.summary),
        f"{runbook.fault} {' '.join(re.split(r'[._]', runbook.fault))}",
        ", ".join(names),
        ", ".join(dict.fromkeys(spoken)),
    )
    return "\n".join(line for line in lines if line.strip())


def sections(body: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Heading path and text of each passage; code blocks, lists and tables stay whole."""
    path: list[str] = []
    held: list[str] = []
    for level, text in _blocks(body):
        if level or (held and sum(map(len, held)) + len(text) > SIZE):
            if held:
                yield tuple(path), "\n\n".join(held)
            held = []
        if level:
            # A document's own title is the runbook's name again.
            path = [*path[: max(level - 2, 0)], text] if level > 1 else []
        else:
            held.append(text)
    if held:
        yield tuple(path), "\n\n".join(held)


def _blocks(body: str) -> Iterator[tuple[int, str]]:
    """Top-level blocks: heading level and title, or 0 and the raw text."""
    lines = _COMMENT.sub("", body).splitlines()
    tokens = _MARKDOWN.parse("\n".join(lines))
    for at, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        if token.type == "heading_open":
            yield int(token.tag[1:]), tokens[at + 1].content.strip()
        else:
            text = "\n".join(lines[token.map[0] : token.map[1]]).strip("\n")
            if text.strip():
                yield 0, text
