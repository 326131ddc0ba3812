"""The citation check: code, not trust, decides which statements of a report stand."""

import re
from dataclasses import replace
from typing import Final, TypeVar

from domain.diagnosis import Action, Diagnosis, Hypothesis, Link, Verdict
from domain.evidence import Citation, Finding
from domain.report import Checks, Report
from report.stored import ANSWERED, Stored
from report.verdict import settled, undetermined

_ABSENCE: Final = re.compile(r"\s*(?:no|none|nothing|nobody|not one|zero|0)\b(?!\.)", re.IGNORECASE)
_GONE: Final = "No part of the causal chain could be verified against the stored results."
_UNPROVEN: Final = "What was checked could not be verified against the stored results."

S = TypeVar("S", Finding, Link, Action)


def check(report: Report) -> Report:
    """The report with only what its stored results bear: citations that do not resolve are struck, statements left
    without one are moved to `unverified`, and a verdict that has lost its chain becomes undetermined."""
    court = _Court(report)
    evidence = tuple(replace(e, findings=court.keep(e.findings)) for e in report.evidence)
    diagnosis = _judged(report.diagnosis, court)
    actions = court.keep(report.actions)
    return replace(
        report,
        evidence=evidence,
        diagnosis=settled(diagnosis),
        actions=actions,
        unverified=tuple(dict.fromkeys((*report.unverified, *court.unverified))),
        run=replace(report.run, checks=court.checks),
    )


class _Court:
    """Judges statements one by one and keeps count."""

    def __init__(self, report: Report) -> None:
        covered = frozenset(c.call_id for c in report.coverage if c.status in ANSWERED)
        self._stored = Stored(report.calls, covered)
        self.unverified: list[str] = []
        self.checks = Checks()

    def keep(self, statements: tuple[S, ...]) -> tuple[S, ...]:
        """The statements that stand, each with the citations that resolve; counted."""
        return tuple(kept for statement in statements if (kept := self._tried(statement)))

    def filter(self, statements: tuple[S, ...]) -> tuple[S, ...]:
        """The same for statements that are not shown; not counted."""
        proven = (replace(s, citations=self._proof(s)) for s in statements)
        return tuple(s for s in proven if s.citations)

    def _tried(self, statement: S) -> S | None:
        proof = self._proof(statement)
        was = self.checks
        self.checks = Checks(
            was.statements + 1,
            was.cited + bool(proof),
            was.verified + len(proof),
            was.struck + len(statement.citations) - len(proof),
        )
        if not proof:
            self.unverified.append(_text(statement))
            return None
        return replace(statement, citations=proof)

    def _proof(self, statement: Finding | Link | Action) -> tuple[Citation, ...]:
        holding = tuple(citation for citation in statement.citations if self._stored.holds(citation))
        absence = not isinstance(statement, Action) and _ABSENCE.match(statement.statement)
        return holding if not absence or any(self._stored.searched(c.call_id) for c in holding) else ()


def _judged(diagnosis: Diagnosis, court: _Court) -> Diagnosis:
    if diagnosis.verdict is Verdict.HEALTHY and diagnosis.healthy:
        kept = court.keep((diagnosis.healthy,))
        others = tuple(_filtered(h, court) for h in diagnosis.hypotheses)
        diagnosis = replace(diagnosis, hypotheses=others)
        return replace(diagnosis, healthy=kept[0]) if kept else undetermined(diagnosis, _UNPROVEN)
    shown = 1 if diagnosis.verdict is Verdict.ROOT_CAUSE else 0
    first = tuple(replace(h, chain=court.keep(h.chain)) for h in diagnosis.hypotheses[:shown])
    rest = diagnosis.hypotheses[shown:]
    diagnosis = replace(diagnosis, hypotheses=tuple(_filtered(h, court) for h in first + rest))
    return undetermined(diagnosis, _GONE) if first and not first[0].chain else diagnosis


def _filtered(hypothesis: Hypothesis, court: _Court) -> Hypothesis:
    return replace(hypothesis, findings=court.filter(hypothesis.findings), chain=court.filter(hypothesis.chain))


def _text(statement: Finding | Link | Action) -> str:
    return statement.text if isinstance(statement, Action) else f"{statement.entity}: {statement.statement}"
