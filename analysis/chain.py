"""The causal chain of a candidate and the sentence that sums it up."""

from typing import Final

from analysis.candidates import Candidate, Explanation
from analysis.text import clip, clip_wrapped, is_wrapped
from analysis.wording import fill
from domain.diagnosis import Link
from domain.evidence import Finding
from domain.runbook import Runbook

OWN_LINKS: Final = 2  # findings of the cause itself
EFFECT_LINKS: Final = 4
LINKS: Final = 4  # at least, where there is so much to tell
SUMMARY_CHARS: Final = 300
STATEMENT_CHARS: Final = 400
GLANCE: Final = 200  # of a wrapped error, whose middle only says who handed it on; it stands whole in its citation
LEAST: Final = 60  # of a value in a sentence: enough of both its ends to be recognised


def chain_of(candidate: Candidate, effects: list[Explanation]) -> tuple[Link, ...]:
    """Cause first: what proves it, then what follows from it in order of time."""
    most = max(OWN_LINKS, LINKS - len(effects))
    own = [_link(finding, candidate.fault) for finding in _distinct(candidate.findings)[:most]]
    told = sorted(effects, key=lambda e: (-e.strength, e.symptom.onset is None, str(e.symptom.onset), e.symptom.fault))
    return tuple(own + [_link(e.symptom.findings[0], e.symptom.fault) for e in told[:EFFECT_LINKS]])


def _distinct(findings: tuple[Finding, ...]) -> list[Finding]:
    """One finding a signature: saying the same again is no further link."""
    seen: dict[str, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.signature or finding.statement, finding)
    return list(seen.values())


def _link(finding: Finding, fault: str) -> Link:
    return Link(finding.entity, fault, _told(finding), finding.citations)


def _told(finding: Finding) -> str:
    return clip_wrapped(finding.statement, GLANCE if is_wrapped(finding.statement) else STATEMENT_CHARS)


def summary_of(candidate: Candidate, runbook: Runbook | None) -> str:
    """The mechanism in one sentence: the runbook's words with this incident's names, else the best statement."""
    best = candidate.findings[0]
    fired = any(f.signature.startswith(f"{runbook.name}/") for f in candidate.findings) if runbook else False
    if runbook is None or not fired:
        return clip_wrapped(best.statement, SUMMARY_CHARS)
    captures: dict[str, str] = {}
    for finding in reversed(candidate.findings):
        captures |= finding.captures
    told = fill(runbook.summary, candidate.entity, captures)
    if len(told) > SUMMARY_CHARS and (room := _room(captures, len(told) - SUMMARY_CHARS)):
        told = fill(
            runbook.summary, candidate.entity, {name: clip_wrapped(text, room) for name, text in captures.items()}
        )
    return clip(told, SUMMARY_CHARS)


def _room(captures: dict[str, str], excess: int) -> int:
    """How long the longest value may be for the sentence to keep its own words."""
    return max(LEAST, max(map(len, captures.values()), default=0) - excess)
