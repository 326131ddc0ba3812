"""Ground truth of a recorded incident, and whether a report says it. Nothing but `fishbone eval` reads expected.yaml.

The rules (docs/accuracy.md): an accepted entity, words of at least two thirds of the term groups, and no word soup.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.bundle_text import BundleText
from app.named import accepts, counted, split
from domain.codec import Json
from domain.errors import BadBundle

FAULT_CHARS, SUMMARY_CHARS, STATEMENT_CHARS, LINKS = 80, 300, 200, 4  # how much of each is searched for terms
LONGEST_ENTITY: Final = 120
SOUP_LEAST, SOUP_SHARE, SOUP_WINDOW, SOUP_STEP = 5, 0.07, 120, 20
Groups = tuple[tuple[str, ...], ...]
_SEPARATED: Final = re.compile(r"[,;|\r\n\v\f\x85\u2028\u2029]")
_SHA: Final = re.compile(r"(?<![a-z0-9])[0-9a-f]{7,40}(?![a-z0-9])")


class Expected(BaseModel):
    """What expected.yaml says."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)
    verdict: str
    entities: list[str] = Field(default_factory=list)
    terms: list[list[str]] = Field(default_factory=list)
    must_not_appear: list[str] = Field(default_factory=list)
    match: str = ""
    not_entities: list[str] | None = None  # commits that are not to blame
    commit: str = ""
    decoys: list[str] = Field(default_factory=list)
    accept_undetermined: bool = False
    family: str = ""
    fault_family: str = ""

    @property
    def groups(self) -> Groups:
        """The term groups, lower-case."""
        return tuple(tuple(term.lower() for term in group) for group in self.terms)

    @property
    def told_family(self) -> str:
        """The family of the fault that was there."""
        return self.family or self.fault_family or "untold"

    @property
    def is_by_name(self) -> bool:
        """Whether the entity alone decides."""
        return self.verdict == "root_cause" and (self.match == "exact" or not self.terms)


@dataclass(frozen=True)
class Truth:
    """One incident's answer, held against reports."""

    expected: Expected
    text: BundleText  # a name must stand in it
    others: tuple[Groups, ...] = ()  # of the other incidents, for word soup

    @cached_property
    def groups(self) -> Groups:
        """The term groups."""
        return self.expected.groups

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
        """Where the first accepted entity comes among the distinct names told, from 1; 0 where none does."""
        names: dict[str, str] = {}
        for cause in told(report):
            names.setdefault(split(str(cause["entity"]))[1], str(cause["entity"]))
        return next((n for n, entity in enumerate(names.values(), 1) if self.names(entity, None)), 0)

    def fits(self, cause: dict[str, Json]) -> bool:
        """Whether a cause names an accepted entity and the mechanism, and not every mechanism there is."""
        text = said(cause)
        return _enough(text, self.groups) and not self.is_soup(text) and self.names(str(cause["entity"]), self.text)

    def names(self, entity: str, text: BundleText | None) -> bool:
        """Whether the entity is an accepted one; where a text is given it must stand in that."""
        kind, name = split(entity)
        if len(entity) > LONGEST_ENTITY or _SEPARATED.search(entity) or commits_in(entity, self._innocent):
            return False
        if self.expected.match == "exact":
            return bool({entity.strip().lower(), name} & {each.lower() for each in self.expected.entities})
        if self.expected.commit:
            return any(self.expected.commit.startswith(sha) for sha in _SHA.findall(name))
        name = counted(kind, name, text)
        return bool(name) and any(accepts(each, kind, name) for each in self.expected.entities)

    def commit_right(self, entity: str) -> bool | None:
        """Whether the guilty commit and no other is named, or none where none is guilty; None: it is not about that."""
        if self.expected.not_entities is None:
            return None
        guilty = {self.expected.commit[:7]} if self.expected.commit else set()
        return commits_in(entity, [*self._innocent, *guilty]) == guilty

    def blames_decoy(self, entity: str) -> bool:
        """Whether a change that was planted to mislead is named."""
        return bool(commits_in(entity, self._innocent) & set(self.expected.decoys))

    def is_soup(self, text: str) -> bool:
        """Whether short pieces of the text would be right for so many others that it says nothing of this one."""
        pieces = [text[at : at + SOUP_WINDOW] for at in range(0, len(text), SOUP_STEP)]
        others = [groups for groups in self.others if groups != self.groups]
        fitting = sum(any(_enough(piece, groups) for piece in pieces) for groups in others)
        return fitting > max(SOUP_LEAST, SOUP_SHARE * len(others))

    @property
    def _innocent(self) -> list[str]:
        return self.expected.not_entities or []


def read_expected(bundle: Path) -> Expected:
    """The ground truth beside a bundle. Raises BadBundle."""
    file = bundle / "expected.yaml"
    try:
        return Expected.model_validate(yaml.safe_load(file.read_text("utf-8")))
    except (OSError, ValueError, yaml.YAMLError, ValidationError) as exc:
        raise BadBundle(f"{file}: {' '.join(str(exc).split())[:200]}") from exc


def term_groups(known: Sequence[Expected]) -> tuple[Groups, ...]:
    """The distinct answers of several incidents, of those that ask for more than one word."""
    return tuple(dict.fromkeys(each.groups for each in known if len(each.terms) > 1))


def told(report: dict[str, Json]) -> list[dict[str, Any]]:
    """The root cause, if any, and the hypotheses that are not the same again."""
    causes = [report["root_cause"]] if report["verdict"] == "root_cause" else []
    causes += [{**hypothesis, "chain": []} for hypothesis in report["hypotheses"]]
    distinct: dict[tuple[str, str], dict[str, Any]] = {}
    for cause in causes:
        distinct.setdefault((cause["entity"], cause["fault"]), cause)
    return list(distinct.values())


def said(cause: dict[str, Json]) -> str:
    """What is searched for terms: fault, summary, and the first links of the chain, also with joints as blanks."""
    links = [str(link["statement"])[:STATEMENT_CHARS] for link in cause.get("chain", [])[:LINKS]]
    low = "\n".join([str(cause["fault"])[:FAULT_CHARS], str(cause["summary"])[:SUMMARY_CHARS], *links]).lower()
    flat = " ".join(low.split())
    return f"{flat}\n {' '.join(re.sub(r'[_./:-]+', ' ', flat).split())} "


def commits_in(text: str, ids: Sequence[str]) -> set[str]:
    """Which of these are whole tokens of the text; a longer hash that begins with one counts too."""
    low = text.lower()
    return {i for i in ids if re.search(rf"(?<![a-z0-9]){re.escape(i.lower())}[0-9a-f]*(?![a-z0-9])", low)}


def _enough(text: str, groups: Groups) -> bool:
    hit = sum(any(term in text for term in group) for group in groups)
    return hit >= math.ceil(len(groups) * 2 / 3)
