"""What every section of the markdown report is given, and the small phrases they share."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from domain.diagnosis import Action, Hypothesis
from domain.entity import name_of
from domain.evidence import Citation, Finding
from domain.report import Report
from report.citations import Numbering
from report.escape import cell, code, words
from report.order import agent_order
from report.verdict import ranked, root, settled
from report.words import words_of

RISKS = ("read", "low", "medium", "high")


@dataclass(frozen=True)
class Page:
    """One report, ready to be told."""

    report: Report
    say: Mapping[str, str]
    numbers: Numbering
    cause: Hypothesis | None

    @property
    def guesses(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that may be the cause."""
        return tuple(each for each in self.report.diagnosis.hypotheses if each.linked)

    def marks(self, citations: Iterable[Citation]) -> str:
        """` [1][2]`, or nothing."""
        numbers = self.numbers.of(citations)
        return (" " + "".join(f"[{n}]" for n in numbers)) if numbers else ""

    def told(self, entity: str, statement: str, citations: Iterable[Citation]) -> str:
        """A statement with its entity, unless it names it, and its citations."""
        lead = "" if _names(statement, entity) else f"{code(entity, 120)}: "
        return f"{lead}{words(statement)}{self.marks(citations)}"

    def told_in_cell(self, entity: str, statement: str, citations: Iterable[Citation]) -> str:
        """The same for a table, where a bar inside a code span would end the cell."""
        lead = "" if _names(statement, entity) else f"{cell(entity)}: "
        return f"{lead}{cell(statement, 160)}{self.marks(citations)}"

    def action(self, action: Action) -> str:
        """What to do, its risk, and the citations."""
        risk = self.say.get(f"risk_{action.risk}", words(action.risk, 40))
        return f"{words(action.text, 300)} ({risk}){self.marks(action.citations)}"


def _names(statement: str, entity: str) -> bool:
    """Whether the entity's name stands in the statement as a word of its own."""
    name = name_of(entity) or entity
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", statement) is not None


def page_of(report: Report, language: str) -> Page:
    """The page of a report in a language."""
    report = replace(report, diagnosis=settled(report.diagnosis))
    return Page(report, words_of(language), Numbering(report), root(report.diagnosis))


def by_risk(actions: Iterable[Action], when: str) -> list[Action]:
    """The actions of one time, those that only read first."""
    chosen = [action for action in actions if action.when == when]
    return sorted(chosen, key=lambda a: RISKS.index(a.risk) if a.risk in RISKS else len(RISKS))


def findings_of(report: Report) -> list[Finding]:
    """All findings in agent order."""
    return [f for e in sorted(report.evidence, key=lambda e: agent_order(e.agent)) for f in e.findings]


def onset_of(page: Page) -> tuple[datetime, float] | None:
    """When it began and how exactly that is known: the earliest onset of what the best hypothesis rests on."""
    best = page.cause if page.cause and page.cause.findings else next(iter(ranked(page.report.diagnosis)), None)
    rests = best.findings if best else ()
    dated = [(f.onset, f.resolution_seconds or 0.0) for f in rests if f.onset is not None]
    return min(dated, default=None)
