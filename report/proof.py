"""Evidence with numbered citations, what could not be verified, and the charts."""

from typing import Final

from domain.codec import dumps
from domain.evidence import Citation, Evidence
from domain.tool import ToolResult
from report.chart import chart_names
from report.citations import calls_by_id
from report.escape import code, words
from report.order import agent_order
from report.page import Page

FINDINGS: Final = 12  # of one agent; the rest stands in report.json
VALUE: Final = 120


def evidence(page: Page) -> list[str]:
    """Per agent its conclusion and its findings, each with its citations."""
    told = sorted(page.report.evidence, key=lambda e: agent_order(e.agent))
    lines = [line for one in told for line in _agent(page, one)]
    return lines[:-1] if lines else [page.say["no_findings"]]


def citations(page: Page) -> list[str]:
    """Each citation with its place and the span that matched."""
    calls = calls_by_id(page.report)
    lines = [f"{n}. {_citation(c, calls.get(c.call_id))}" for n, c in page.numbers.all()]
    return lines or [page.say["no_citations"]]


def unverified(page: Page) -> list[str]:
    """Statements that code could not verify; no lines when there are none."""
    if not page.report.unverified:
        return []
    return [page.say["unverified_why"], "", *(f"- {words(told, 240)}" for told in page.report.unverified)]


def charts(page: Page) -> list[str]:
    """Links to the SVG files beside the report; no lines when there are none."""
    named = zip(chart_names(page.report), page.report.charts, strict=True)
    return [f"![{words(f'{series.entity} {series.metric}', 120)}]({name})" for name, series in named]


def _agent(page: Page, one: Evidence) -> list[str]:
    by = page.say["by_analyst"] if one.by == "analyst" else words(one.by, 60)
    best = sorted(one.findings, key=lambda f: -f.weight)[:FINDINGS]
    lines = [f"### {words(one.agent, 40)} ({by})", "", words(one.conclusion, 400) or page.say["no_findings"], ""]
    lines += [f"- {page.told(f.entity, f.statement, f.citations)}" for f in best]
    rest = len(one.findings) - len(best)
    lines += [f"- {page.say['more_findings'].format(count=rest)}"] if rest else []
    return [*lines, ""] if lines[-1] else lines


def _citation(citation: Citation, call: ToolResult | None) -> str:
    place = " · ".join(part for part in (_source(citation), _call(citation, call)) if part)
    spans = [code(citation.quote, 300)] if citation.quote is not None else []
    if citation.path is not None:
        spans.append(f"{code(citation.path, VALUE)} = {code(dumps(citation.value), VALUE)}")
    return f"{place}: {', '.join(spans)}"


def _source(citation: Citation) -> str:
    if not citation.source:
        return ""
    return code(citation.source + (f":{citation.line}" if citation.line is not None else ""), 200)


def _call(citation: Citation, call: ToolResult | None) -> str:
    return words(f"{citation.call_id} {call.tool}" if call else citation.call_id, 100)
