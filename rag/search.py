"""Find the right runbook: by the alert's name, its link or its fault first, then by words and meaning."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.fault import covers
from domain.results import Page, Passage, Passages, Searched
from domain.runbook import Runbook
from rag import index, pages
from rag.chinese import bigrams, in_english
from rag.embed import Embedder
from rag.fusion import fuse
from rag.index import Refreshed
from rag.names import is_alike, likeness, matches_exactly, matches_url, words
from store import passages
from store.database import Database
from store.passages import FoundPassage

DEPTH: Final = 60  # passages that words and vectors each hand in
HYBRID: Final = "hybrid"
ALIKE: Final = 2  # runbooks that a likeness of names may add
# When nothing fits. Cosines of this model lie close together: the right page of 99 alerts, their names masked, was at
# 0.86 or more, but the nearest to 15 questions about anything else at up to 0.825, and the nearest to alerts that tell
# a mere symptom ("5xx ratio high on orders-api") at 0.83 to 0.86, mostly wrong. What tells those apart is the share of
# the question's words that stand in the runbook: 0.38 or more for the 99, seldom above 0.3 for the wrong ones. A
# question of two or three words comes out at a lower cosine than it deserves; then most of its words must agree.
FITTING: Final = ((0.89, 0.0), (0.83, 0.38), (0.80, 0.6))  # from this cosine on, this share of words is enough
_STEM: Final = 5  # letters that words must share: restarts, restarting
_WORD: Final = re.compile(r"[a-z0-9]{2,}")
_EMPTY: Final = frozenset(
    {
        "the", "an", "of", "in", "on", "is", "it", "my", "me", "to", "do", "does", "did", "for", "from", "with", "at",
        "by", "and", "or", "was", "are", "be", "been", "has", "have", "this", "that", "there", "why", "what", "who",
        "how", "when", "where", "which", "not", "no", "can", "will", "all", "any", "we", "our", "as", "its", "into",
    }
)  # fmt: skip
_SCORES: Final = {"alert_name": 1.0, "runbook_url": 0.95, "structural": 0.9}
QUERY_CHARS: Final = 600  # of a question; what is longer says nothing more
MEANT_CHARS: Final = 100  # of it that are embedded, at 0.36 ms of CPU each; 600 found no more (bench/retrieval.py)


@dataclass(frozen=True)
class Asked:
    """One question to the index."""

    query: str
    alerts: tuple[str, ...] = ()  # names of alerts
    url: str = ""  # the alert's runbook_url
    faults: tuple[str, ...] = ()  # of hypotheses: their own runbooks are wanted


class RunbookIndex:
    """The runbooks, searchable. Open it once and refresh it whenever they were loaded."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._runbooks: dict[str, Runbook] = {}

    @classmethod
    async def open(cls, database: Database, embedder: Embedder, runbooks: Sequence[Runbook] = ()) -> "RunbookIndex":
        """An index over a database; with runbooks, brought up to date."""
        opened = cls(database, embedder)
        if runbooks:
            await opened.refresh(runbooks)
        return opened

    async def refresh(self, runbooks: Sequence[Runbook]) -> Refreshed:
        """Make the index equal to these runbooks; one query when nothing changed."""
        self._runbooks = {runbook.name: runbook for runbook in runbooks}
        return await index.refresh(self._database, self._embedder, runbooks)

    async def search(
        self,
        query: str,
        alerts: Sequence[str] = (),
        url: str = "",
        faults: Sequence[str] = (),
        top: int = 5,
    ) -> Passages:
        """The best passage of each runbook that fits, best first; none, and `fits` false, when nothing does."""
        asked = Asked(query[:QUERY_CHARS], tuple(alerts), url, tuple(faults))
        named = named_by(self._runbooks.values(), asked)
        found = await self._hybrid(asked)
        matched = [*named, *(name for name in by_rank(found) if name not in named and fits(found[name]))]
        chosen = [await self._passage(name, named.get(name, HYBRID), found) for name in matched[:top]]
        kept = tuple(each for each in chosen if each is not None)
        searched = Searched(
            source=f"index of {len(self._runbooks)} runbooks",
            filter=_told(asked),
            matched=len(matched),
            returned=len(kept),
            truncated=len(matched) > len(kept),
            problems=() if self._runbooks else ("the index of runbooks is empty",),
        )
        return Passages(kept, fits=bool(kept), searched=searched)

    def rest(self) -> None:
        """Let go of what can be had again quickly."""
        self._embedder.rest()

    def read(self, name: str, page: int = 1) -> Page:
        """One page of a runbook, or of one of its references by `<runbook>/<reference>`."""
        return pages.read(self._runbooks, name, page)

    async def _hybrid(self, asked: Asked) -> dict[str, "Hit"]:
        """What words and vectors find, by document."""
        text = " ".join((asked.query, *(" ".join((name, *words(name))) for name in asked.alerts)))
        if not text.strip():
            return {}
        both = f"{text} {in_english(text)}".strip()
        embedding = await asyncio.to_thread(self._embedder.query, both[:MEANT_CHARS])
        async with self._database.connection() as connection:
            rows = await passages.search(
                connection,
                both,
                bigrams=bigrams(text),
                embedding=embedding,
                model=self._embedder.model,
                limit=2 * DEPTH,
                depth=DEPTH,
            )
        return by_document(rows, both)

    async def _passage(self, name: str, how: str, found: Mapping[str, "Hit"]) -> Passage | None:
        """The document's best passage; its card when it was not found by its text."""
        hit = found.get(name)
        best = hit.best if hit else await self._card(name)
        if best is None:
            return None
        score = _SCORES.get(how) or round(hit.score, 4) if hit else _SCORES.get(how, 0.0)
        return Passage(best.runbook, best.fault, best.heading, best.text, score, how, best.kind)

    async def _card(self, name: str) -> FoundPassage | None:
        async with self._database.connection() as connection:
            return next(iter(await passages.of_document(connection, name)), None)


@dataclass(frozen=True)
class Hit:
    """One document in the two searches."""

    best: FoundPassage
    text_rank: int | None  # place among documents, from 1
    vector_rank: int | None
    similarity: float  # cosine of its nearest passage; 0 where no vector of it is near
    agreement: float  # share of the question's words that stand in the passages found
    score: float = 0.0  # fused, 1 is first in both


def named_by(runbooks: Iterable[Runbook], asked: Asked) -> dict[str, str]:
    """Runbooks that are meant beyond doubt, and how that is known; the surest first."""
    found: dict[str, str] = {}
    books = list(runbooks)
    for name in asked.alerts:
        found |= {each.name: "alert_name" for each in books if each.name not in found and matches_exactly(each, name)}
    if asked.url:
        found |= {each.name: "runbook_url" for each in books if each.name not in found and matches_url(each, asked.url)}
    for fault in asked.faults:
        found |= {each.name: "structural" for each in books if each.name not in found and covers(fault, each.fault)}
    for name in asked.alerts:
        alike = sorted(books, key=lambda each: -likeness(each, name))[:ALIKE]
        found |= {each.name: "structural" for each in alike if each.name not in found and is_alike(each, name)}
    return found


def by_document(rows: Iterable[FoundPassage], question: str) -> dict[str, Hit]:
    """Places of documents out of places of passages, fused."""
    of: dict[str, list[FoundPassage]] = {}
    for row in rows:
        of.setdefault(row.document, []).append(row)
    worded = _places(of, lambda row: row.text_rank)
    meant = _places(of, lambda row: row.vector_rank)
    best_possible = sum(fuse([["x"], ["x"]]).values())
    return {
        name: Hit(
            best=of[name][0],
            text_rank=worded.get(name),
            vector_rank=meant.get(name),
            similarity=max(row.similarity or 0.0 for row in of[name]),
            agreement=agreement(question, " ".join(f"{row.heading} {row.text}" for row in of[name])),
            score=score / best_possible,
        )
        for name, score in fuse([list(worded), list(meant)]).items()
    }


def by_rank(found: Mapping[str, Hit]) -> list[str]:
    """Documents, best first."""
    return sorted(found, key=lambda name: (-found[name].score, name))


def fits(hit: Hit) -> bool:
    """Whether a document found by its text alone is worth showing."""
    return any(hit.similarity >= cosine and hit.agreement >= share for cosine, share in FITTING)


def agreement(question: str, text: str) -> float:
    """The share of the question's telling words that the text has, endings aside, 0..1."""
    asked = {_stem(word) for word in _WORD.findall(question.lower()) if word not in _EMPTY}
    held = {_stem(word) for word in _WORD.findall(text.lower())}
    return len(asked & held) / len(asked) if asked else 0.0


def _stem(word: str) -> str:
    return word.rstrip("s")[:_STEM]


def _places(of: Mapping[str, Sequence[FoundPassage]], rank: Callable[[FoundPassage], int | None]) -> dict[str, int]:
    best = {
        name: min((place for row in rows if (place := rank(row)) is not None), default=None)
        for name, rows in of.items()
    }
    ranked = sorted((place, name) for name, place in best.items() if place is not None)
    return {name: number for number, (_, name) in enumerate(ranked, start=1)}


def _told(asked: Asked) -> str:
    parts = (asked.query, *(f"alert={name}" for name in asked.alerts), *(f"fault={name}" for name in asked.faults))
    return " ".join((*parts, f"url={asked.url}") if asked.url else parts)
