"""Numbers for citations: from 1 in order of first use, one number for equal ones."""

from collections.abc import Iterable, Iterator
from typing import Final

from domain.codec import Json, dumps
from domain.evidence import Citation
from domain.report import Report
from domain.tool import ToolResult
from report.order import agent_order
from report.verdict import root

LISTED: Final = 20  # items of a list argument that a citation repeats
Key = tuple[str, str, int | None, str | None, str | None, str]


class Numbering:
    """Which number a citation has. Filled in reading order, so that [1] proves the root cause."""

    def __init__(self, report: Report) -> None:
        self._numbers: dict[Key, int] = {}
        self._citations: list[Citation] = []
        for citation in _in_reading_order(report):
            self._add(citation)

    def _add(self, citation: Citation) -> None:
        key = _key(citation)
        if key not in self._numbers:
            self._citations.append(citation)
            self._numbers[key] = len(self._citations)

    def of(self, citations: Iterable[Citation]) -> list[int]:
        """The numbers of these citations, each once, in their order."""
        return list(dict.fromkeys(self._numbers[_key(citation)] for citation in citations))

    def all(self) -> list[tuple[int, Citation]]:
        """Every citation with its number."""
        return list(enumerate(self._citations, 1))


def calls_by_id(report: Report) -> dict[str, ToolResult]:
    """The stored results that citations point into."""
    return {call.call_id: call for call in report.calls}


def plain_citation(number: int, citation: Citation, call: ToolResult | None) -> dict[str, Json]:
    """One entry of `citations[]` in report.json."""
    return {
        "id": number,
        "call_id": citation.call_id,
        "tool": call.tool if call else "",
        "arguments": _short(call.arguments) if call else {},
        "source": citation.source,
        "line": citation.line,
        "quote": citation.quote,
        "path": citation.path,
        "value": citation.value,
        "result_sha256": call.sha256 if call else "",
    }


def _short(arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments without long lists: the signatures of all runbooks stand in the flight recording."""
    return {
        name: f"{len(value)} items" if isinstance(value, list) and len(value) > LISTED else value
        for name, value in arguments.items()
    }


def _key(citation: Citation) -> Key:
    value = "" if citation.path is None else dumps(citation.value)
    return (citation.call_id, citation.source, citation.line, citation.quote, citation.path, value)


def _in_reading_order(report: Report) -> Iterator[Citation]:
    cause = root(report.diagnosis)
    for link in cause.chain if cause else ():
        yield from link.citations
    for evidence in sorted(report.evidence, key=lambda e: agent_order(e.agent)):
        for finding in evidence.findings:
            yield from finding.citations
    for action in report.actions:
        yield from action.citations
    for hypothesis in report.diagnosis.hypotheses:
        for link in hypothesis.chain:
            yield from link.citations
