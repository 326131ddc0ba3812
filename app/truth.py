"""Ground truth of a recorded incident, and whether a report says it. Nothing but `fishbone eval` reads expected.yaml.

The rules (docs/accuracy.md): an accepted entity, and words of at least two thirds of the term groups.
"""

import math
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.codec import Json
from domain.entity import KINDS
from domain.errors import BadBundle

FAULT_CHARS, SUMMARY_CHARS, STATEMENT_CHARS, LINKS = 80, 300, 200, 4  # how much of each is searched for terms
LONGEST_ENTITY: Final = 120
MOST_WORDS: Final = 3
FREE_KINDS: Final = ("query", "process")  # a statement or a command line may have many words
SOUP_LEAST, SOUP_SHARE, SOUP_WINDOW, SOUP_STEP = 5, 0.07, 120, 20
_SEPARATED: Final = re.compile(r"[,;|\r\n]")
_SHA: Final = re.compile(r"(?<![a-z0-9])[0-9a-f]{7,40}(?![a-z0-9])")


class Expected(BaseModel):
    """What expected.yaml says."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    verdict: str
    entities: list[str] = Field(default_factory=list)
    terms: list[list[str]] = Field(default_factory=list)
    must_not_appear: list[str] = Field(default_factory=list)
    match: str = ""
    not_entities: list[str] = Field(default_factory=list)
    commit: str = ""
    accept_undetermined: bool = False
    family: str = ""
    fault_family: str = ""


@dataclass(frozen=True)
class Truth:
    """One incident's answer, held against reports."""

    expected: Expected
    words: str  # all that the bundle says, lower-case, joints as blanks: a name must stand in it
    others: tuple[tuple[tuple[str, ...], ...], ...] = ()  # term groups of the other incidents, for word soup

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The term groups, lower-case."""
        return tuple(tuple(str(term).lower() for term in group) for group in self.expected.terms)

    def right(self, report: dict[str, Json]) -> bool:
        """Whether the report's first answer is right."""
        verdict = report["verdict"]
        if verdict == "undetermined" and self.expected.accept_undetermined:
            return True
        if self.expected.verdict != "root_cause" or verdict != "root_cause":
            return bool(verdict == self.expected.verdict)
        return self.fits(report["root_cause"])

    def among_three(self, report: dict[str, Json]) -> bool:
        """Whether the first three hypotheses hold the right one."""
        if self.right(report):
            return True
        return self.expected.verdict == "root_cause" and any(self.fits(cause) for cause in told(report)[:3])

    def place(self, report: dict[str, Json]) -> int:
        """Where the first accepted entity comes among the distinct ones told, from 1; 0 where none does."""
        names = dict.fromkeys(str(cause["entity"]) for cause in told(report))
        return next((n for n, name in enumerate(names, 1) if self.names(name)), 0)

    def fits(self, cause: dict[str, Json]) -> bool:
        """Whether a cause names an accepted entity and the mechanism, and not every mechanism there is."""
        text = said(cause)
        return self.names(str(cause["entity"])) and _enough(text, self.groups) and not self._soup(text)

    def names(self, entity: str) -> bool:
        """Whether the entity is an accepted one."""
        kind, name = split(entity)
        if len(entity) > LONGEST_ENTITY or _SEPARATED.search(entity) or self._innocent(entity):
            return False
        accepted = [str(each).lower() for each in self.expected.entities]
        if self.expected.match == "exact":
            return name in accepted or entity.strip().lower() in accepted
        if self.expected.commit:
            return any(self.expected.commit.startswith(sha) for sha in _SHA.findall(name))
        free = kind in FREE_KINDS
        if (len(name.split()) > MOST_WORDS or not self._stands(name)) and not free:
            return False
        return any(_accepts(each, kind, name, free) for each in accepted)

    def _innocent(self, entity: str) -> bool:
        return any(other.lower() in entity.lower() for other in self.expected.not_entities)

    def _stands(self, name: str) -> bool:
        plain = _blanks(name)
        return len(plain.split()) < 2 or plain in self.words

    def _soup(self, text: str) -> bool:
        pieces = [text[at : at + SOUP_WINDOW] for at in range(0, len(text), SOUP_STEP)]
        others = [groups for groups in self.others if groups != self.groups]
        fitting = sum(any(_enough(piece, groups) for piece in pieces) for groups in others)
        return fitting > max(SOUP_LEAST, SOUP_SHARE * len(others))


def read_expected(bundle: Path) -> Expected:
    """The ground truth beside a bundle. Raises BadBundle."""
    file = bundle / "expected.yaml"
    try:
        return Expected.model_validate(yaml.safe_load(file.read_text("utf-8")))
    except (OSError, ValueError, yaml.YAMLError, ValidationError) as exc:
        raise BadBundle(f"{file}: {' '.join(str(exc).split())[:200]}") from exc


def told(report: dict[str, Json]) -> list[dict[str, Any]]:
    """The root cause, if any, and the hypotheses that are not the same again."""
    causes = [report["root_cause"]] if report["verdict"] == "root_cause" else []
    causes += [{**hypothesis, "chain": []} for hypothesis in report["hypotheses"]]
    return list({(c["entity"], c["fault"]): c for c in reversed(causes)}.values())[::-1]


def said(cause: dict[str, Json]) -> str:
    """What is searched for terms: fault, summary, and the first links of the chain."""
    links = [str(link["statement"])[:STATEMENT_CHARS] for link in cause.get("chain", [])[:LINKS]]
    low = "\n".join([str(cause["fault"])[:FAULT_CHARS], str(cause["summary"])[:SUMMARY_CHARS], *links]).lower()
    flat = " ".join(low.split())
    return f"{flat}\n {_blanks(flat)} "


def split(entity: str) -> tuple[str, str]:
    """Kind and name in lower case; without a known kind all of it is the name."""
    low = entity.strip().lower()
    kind, colon, name = low.partition(":")
    return (kind, name.strip()) if colon and kind in KINDS else ("", low)


def _accepts(accepted: str, kind: str, name: str, free: bool) -> bool:
    only, wanted = split(accepted)
    if accepted.endswith(":"):
        return kind == accepted[:-1]
    if only and kind != only:
        return False
    if free and not only and len(name.split()) > MOST_WORDS:
        return False
    edge = "(?<![a-z0-9])" if wanted[:1].isalnum() else ""
    end = "(?![a-z])" if wanted[-1:].isalnum() else ""
    return bool(re.search(f"{edge}{re.escape(wanted)}{end}", f"{name}\n{_blanks(name)}"))


def _enough(text: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    hit = sum(any(term in text for term in group) for group in groups)
    return hit >= math.ceil(len(groups) * 2 / 3)


def _blanks(text: str) -> str:
    return " ".join(re.sub(r"[_./:-]+", " ", text.lower()).split())
