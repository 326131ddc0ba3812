"""The causal chain of a candidate and the sentence that sums it up."""

from typing import Final

from analysis.candidates import Candidate, Explanation
from analysis.text import clip
from analysis.wording import fill
from domain.diagnosis import Link
from domain.evidence import Finding
from domain.runbook import Runbook

OWN_LINKS: Final = 2  # findings of the cause itself
EFFECT_LINKS: Final = 4
SUMMARY_CHARS: Final = 300
STATEMENT_CHARS: Final = 400


def chain_of(candidate: Candidate, effects: list[Explanation]) -> tuple[Link, ...]:
    """Cause first: what proves it, then what follows from it in order of time."""
    own = [_link(finding, candidate.fault) for finding in _distinct(candidate.findings)[:OWN_LINKS]]
    told = sorted(effects, key=lambda e: (-e.strength, e.symptom.onset is None, str(e.symptom.onset), e.symptom.fault))
    return tuple(own + [_link(e.symptom.findings[0], e.symptom.fault) for e in told[:EFFECT_LINKS]])


def _distinct(findings: tuple[Finding, ...]) -> list[Finding]:
    """One finding a signature: saying the same again is no further link."""
    seen: dict[str, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.signature or finding.statement, finding)
    return list(seen.values())


def _link(finding: Finding, fault: str) -> Link:
    return Link(finding.entity, fault, clip(finding.statement, STATEMENT_CHARS), finding.citations)


def summary_of(candidate: Candidate, runbook: Runbook | None) -> str:
    """The mechanism in one sentence: the runbook's words with this incident's names, else the best statement."""
    best = candidate.findings[0]
    fired = any(f.signature.startswith(f"{runbook.name}/") for f in candidate.findings) if runbook else False
    if runbook is None or not fired:
        return clip(best.statement, SUMMARY_CHARS)
    captures: dict[str, str] = {}
    for finding in reversed(candidate.findings):
        captures |= finding.captures
    return clip(fill(runbook.summary, candidate.entity, captures), SUMMARY_CHARS)
