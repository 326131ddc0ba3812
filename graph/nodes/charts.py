"""The series worth drawing: those that the findings about the root cause rest on, asked for through the hub."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from domain.codec import Json
from domain.diagnosis import Diagnosis
from domain.evidence import Evidence, Finding
from graph.context import Work
from report.pointer import resolve
from tools.hub import Ask

NODE: Final = "report"
TOOL: Final = "metrics_range"
MOST: Final = 3
POINTS: Final = 200


async def fetch_charts(diagnosis: Diagnosis, evidence: Iterable[Evidence], work: Work) -> None:
    """Ask for the points of the most telling series; their results lie in the ledger then."""
    work.hub.ledger.rewind(NODE, 0)  # a lost worker may have been cut off in here
    named = list(dict.fromkeys(_series(_ordered(diagnosis, evidence), work)))[:MOST]
    asks = [Ask(TOOL, {"entity": entity, "metric": metric, "max_points": POINTS}) for entity, metric in named]
    if asks:
        await work.hub.turn(replace(work.caller, agent=NODE), asks)


def _ordered(diagnosis: Diagnosis, evidence: Iterable[Evidence]) -> Iterator[Finding]:
    """The findings of the best hypothesis first, then all others by weight."""
    if diagnosis.hypotheses:
        yield from diagnosis.hypotheses[0].findings
    yield from sorted((f for each in evidence for f in each.findings), key=lambda f: -f.weight)


def _series(findings: Iterable[Finding], work: Work) -> Iterator[tuple[str, str]]:
    """Entity and metric of each series that a finding cites."""
    for finding in findings:
        for citation in finding.citations:
            result = work.hub.ledger.result(citation.call_id)
            if result and (citation.path or "").startswith("/series/"):
                one: Json = resolve(result.data, "/".join(str(citation.path).split("/")[:3]))
                yield one["entity"], one["metric"]
