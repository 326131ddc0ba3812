"""report.json: the typed artifact as plain JSON, as section 9 of the design fixes it."""

import json
from collections.abc import Sequence
from dataclasses import replace

from domain.codec import Json, to_plain
from domain.diagnosis import Action, Hypothesis, Link
from domain.evidence import Coverage, Evidence, Finding
from domain.report import Report
from report.citations import Numbering, calls_by_id, plain_citation
from report.order import agent_order, call_order
from report.verdict import ranked, root, settled


def document(report: Report) -> dict[str, Json]:
    """report.json as a dict; citations are numbered from 1 in order of first use, and only `run` holds clocks."""
    report = replace(report, diagnosis=settled(report.diagnosis))
    numbers, calls, diagnosis = Numbering(report), calls_by_id(report), report.diagnosis
    cause = root(diagnosis)
    return {
        "verdict": diagnosis.verdict.value,
        "next_check": diagnosis.next_check,
        "why": diagnosis.why,
        "incident": _incident(report),
        "root_cause": None if cause is None else _cause(cause, diagnosis.confidence, numbers),
        "hypotheses": [_hypothesis(hypothesis, numbers) for hypothesis in ranked(diagnosis)],
        "ruled_out": list(diagnosis.ruled_out),
        "evidence": [_evidence(e, numbers) for e in sorted(report.evidence, key=lambda e: agent_order(e.agent))],
        "unverified": list(report.unverified),
        "citations": [plain_citation(n, citation, calls.get(citation.call_id)) for n, citation in numbers.all()],
        "coverage": [_coverage(c) for c in in_call_order(report.coverage)],
        "gaps": [{"what": gap.what, "why": gap.why, "tried": gap.tried} for gap in report.gaps],
        "actions": [_action(action, numbers) for action in report.actions],
        "runbooks": list(report.passages),
        "alerts": [to_plain(account) for account in diagnosis.alerts],
        "run": to_plain(report.run),
        **({"comparison": to_plain(report.comparison)} if report.comparison else {}),
    }


def dump(plain: dict[str, Json]) -> str:
    """The text of report.json: keys sorted, two blanks of indent, a line end; equal documents give equal bytes."""
    text = json.dumps(plain, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def in_call_order(coverage: Sequence[Coverage]) -> list[Coverage]:
    """Coverage by agent, then by call."""
    return sorted(coverage, key=lambda c: call_order(c.call_id))


def _incident(report: Report) -> dict[str, Json]:
    incident = report.incident
    return {
        "id": incident.id,
        "title": incident.title,
        "fired_at": to_plain(incident.fired_at),
        "window": to_plain(incident.window),
        "timezone": incident.timezone,
        "notes": incident.notes,
        "alerts": [to_plain(alert) for alert in incident.alerts],
    }


def _cause(cause: Hypothesis, confidence: float, numbers: Numbering) -> dict[str, Json]:
    return {
        "entity": cause.entity,
        "fault": cause.fault,
        "summary": cause.summary,
        "confidence": confidence,
        "chain": [_link(link, numbers) for link in cause.chain],
    }


def _link(link: Link, numbers: Numbering) -> dict[str, Json]:
    return {
        "entity": link.entity,
        "fault": link.fault,
        "statement": link.statement,
        "citations": numbers.of(link.citations),
    }


def _hypothesis(hypothesis: Hypothesis, numbers: Numbering) -> dict[str, Json]:
    return {
        "entity": hypothesis.entity,
        "fault": hypothesis.fault,
        "summary": hypothesis.summary,
        "score": round(hypothesis.score, 4),
        "supports": list(hypothesis.supports),
        "contradicts": list(hypothesis.contradicts),
        "runbook": hypothesis.runbook,
        "chain": [_link(link, numbers) for link in hypothesis.chain],
    }


def _evidence(evidence: Evidence, numbers: Numbering) -> dict[str, Json]:
    return {
        "agent": evidence.agent,
        "by": evidence.by,
        "conclusion": evidence.conclusion,
        "findings": [_finding(finding, numbers) for finding in evidence.findings],
    }


def _finding(finding: Finding, numbers: Numbering) -> dict[str, Json]:
    return {
        "entity": finding.entity,
        "kind": finding.kind,
        "statement": finding.statement,
        "onset": to_plain(finding.onset),
        "severity": finding.severity.value,
        "citations": numbers.of(finding.citations),
    }


def _coverage(coverage: Coverage) -> dict[str, Json]:
    return {
        "call_id": coverage.call_id,
        "source": coverage.source,
        "window": coverage.window,
        "filter": coverage.filter,
        "matched": coverage.matched,
        "returned": coverage.returned,
        "truncated": coverage.truncated,
        "status": coverage.status,
    }


def _action(action: Action, numbers: Numbering) -> dict[str, Json]:
    return {
        "when": action.when,
        "text": action.text,
        "command": action.command,
        "risk": action.risk,
        "runbook": action.runbook,
        "citations": numbers.of(action.citations),
    }
