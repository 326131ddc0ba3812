"""The citation check: code, not trust, decides which statements of a report stand."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from domain.codec import Json
from domain.diagnosis import Action, Diagnosis, Hypothesis, Link, Verdict
from domain.evidence import Citation, Finding
from domain.report import Checks, Report
from domain.tool import ToolResult
from report.pointer import resolve, same
from report.verdict import settled, undetermined

SHORTEST: Final = 12  # characters of a quote that is not a whole line
LONGEST: Final = 300
_LINE_ENDS: Final = re.compile(r"[\r\n\v\f\x85\u2028\u2029]")
_ABSENCE: Final = re.compile(r"\s*(?:no|none|nothing|nobody|not one|zero|0)\b(?!\.)", re.IGNORECASE)
_ANSWERED: Final = ("ok", "no_data")
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


_Place = tuple[str, int | None]  # source and line, as far as a result says


class _Court:
    """Judges statements one by one and keeps count."""

    def __init__(self, report: Report) -> None:
        self._calls = {call.call_id: call for call in report.calls}
        self._covered = {c.call_id for c in report.coverage if c.status in _ANSWERED}
        self._places: dict[str, dict[_Place, list[str]]] = {}
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
        holding = tuple(citation for citation in statement.citations if self._holds(citation))
        absence = not isinstance(statement, Action) and _ABSENCE.match(statement.statement)
        return holding if not absence or any(self._searched(c.call_id) for c in holding) else ()

    def _holds(self, citation: Citation) -> bool:
        call = self._calls.get(citation.call_id)
        if call is None or call.status not in _ANSWERED or (citation.quote is None and citation.path is None):
            return False
        return (citation.quote is None or self._quoted(citation, citation.quote)) and (
            citation.path is None or self._stands(citation, citation.path, call)
        )

    def _quoted(self, citation: Citation, quote: str) -> bool:
        if len(quote) > LONGEST or _LINE_ENDS.search(quote) or not quote.strip():
            return False
        whole = len(quote) < SHORTEST
        return any(_occurs(quote, text, whole) for text in self._where(citation))

    def _where(self, citation: Citation) -> Iterator[str]:
        """The strings of the call that may stand at the citation's source and line."""
        source, line, places = citation.source, citation.line, self._places_of(citation.call_id)
        if source and line is not None:
            near: Iterable[_Place] = [(s, n) for s in (source, "") for n in (line, None) if (s, n) in places]
        else:
            near = [
                p for p in places if (not source or p[0] in (source, "")) and (line is None or p[1] in (line, None))
            ]
        for place in near:
            yield from places[place]

    def _stands(self, citation: Citation, path: str, call: ToolResult) -> bool:
        try:
            found = resolve(call.data, path)
        except LookupError:
            return False
        return same(found, citation.value) and (not _is_empty(found) or self._searched(citation.call_id))

    def _searched(self, call_id: str) -> bool:
        """Whether the call says what it looked at, so that absence may be claimed of it."""
        call = self._calls[call_id]
        told = call.coverage is not None and call.coverage.status in _ANSWERED
        return told or call_id in self._covered or (isinstance(call.data, dict) and "searched" in call.data)

    def _places_of(self, call_id: str) -> dict[_Place, list[str]]:
        if call_id not in self._places:
            self._places[call_id] = {}
            _collect(self._calls[call_id].data, ("", None), self._places[call_id])
        return self._places[call_id]


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


def _occurs(quote: str, text: str, whole: bool) -> bool:
    if quote not in text:
        return False
    return not whole or any(quote.strip() == line.strip() for line in _LINE_ENDS.split(text))


def _is_empty(value: Json) -> bool:
    return value is None or (not isinstance(value, bool) and value in (0, "", [], {}))


def _collect(data: Json, place: _Place, into: dict[_Place, list[str]]) -> None:
    """Every string of a result under the source and line that it or the nearest object around it names."""
    if isinstance(data, str):
        into.setdefault(place, []).append(data)
    elif isinstance(data, dict):
        own = _own(data, place)
        for value in data.values():
            _collect(value, own, into)
    elif isinstance(data, list):
        for value in data:
            _collect(value, place, into)


def _own(data: dict[str, Json], around: _Place) -> _Place:
    source, line = data.get("source"), data.get("line")
    return (source if isinstance(source, str) and source else around[0], line if isinstance(line, int) else around[1])
