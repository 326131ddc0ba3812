"""What keeps a program from starting, where no runbook knows it: what it says itself before it ends."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import PASSAGE, Case
from analysis.text import clip
from domain.entity import name_of
from domain.evidence import Finding, Severity
from domain.fault import is_fault

FAULT: Final = "process.start_failed"
SIGNATURE: Final = "process-start-failed/last_words"
DOWN: Final = ("state.restarting", "state.not_running")
SAID: Final = ("log.error", "log.new", "log.burst")
WEIGHT: Final = 0.5  # what a program says of its own end is a strong hint, no proof
KNOWN: Final = 0.5  # a runbook's signature this strong about the same thing knows better
WORDS_CHARS: Final = 190
# Words about another one: then the other one's trouble is the cause, or nothing is told at all.
_OF_OTHERS: Final = re.compile(
    r"(?i)refused|ECONN|timed? ?out|unreachable|no route to host|no such host|name resolution|ENOTFOUND|EAI_|"
    r"could not (?:connect|translate|resolve)|failed to connect|broken pipe|connection (?:failed|reset|closed|lost)"
)
# What follows any failed start, and says nothing about why.
_EMPTY: Final = re.compile(
    r"(?i)^\W*(?:error|fatal|panic|exception|aborting|abort(?:ed)?|exit(?:ing|ed)?|shutting down|boot failed|"
    r"[=*-]+|throw new \w+\W*|exception during startup|traceback.*|backtrace.*)\W*$|"
    r"fatal error during \w+ (?:startup|start)\W|init function returned error|registration as a \w+ engine failed|"
    r"aborted with error generic|(?:got|by) signal \d+|aborting startup|prepare to shutdown"
)
_SAYS: Final = re.compile(r"^\S+ says[^:]*: ")
_LABEL: Final = re.compile(r"^(?:\[?(?:ERROR|FATAL|CRITICAL|PANIC|WARN(?:ING)?)\]?[:\s]+|\d+ \[(?:ERROR|Warning)\] )+")


def last_words(case: Case) -> Iterator[Finding]:
    """For each thing that ends at every start, and of which no runbook knows why: what it said itself."""
    told: set[str] = set()
    for down in case.findings:
        if down.kind in DOWN and down.entity not in told and not _is_known(case, down.entity):
            told.add(down.entity)
            if said := _own(case, down):
                yield said


def _is_known(case: Case, of: str) -> bool:
    return any(
        finding.weight >= KNOWN
        and is_fault(finding.kind)
        and not finding.signature.endswith(PASSAGE)
        and case.inventory.same(finding.entity, of)
        for finding in case.findings
    )


def _own(case: Case, down: Finding) -> Finding | None:
    own = [f for f in case.findings if f.kind in SAID and case.inventory.same(f.entity, down.entity) and f.citations]
    telling = [(finding, words) for finding in own if (words := _words(finding))]
    if not telling:
        return None
    said, words = max(telling, key=lambda pair: (_rank(pair[0]), -(pair[0].citations[0].line or 0)))
    return Finding(
        down.entity, FAULT, f"{name_of(down.entity)} ends at every start and says why: {words}",
        (*said.citations[:2], *down.citations[:1]), onset=said.onset, resolution_seconds=said.resolution_seconds,
        severity=Severity.CRITICAL, weight=WEIGHT, signature=SIGNATURE, captures={**down.captures, "error": words},
    )  # fmt: skip


def _rank(finding: Finding) -> int:
    return {Severity.CRITICAL: 2, Severity.ERROR: 1}.get(finding.severity, 0)


def _words(finding: Finding) -> str:
    """What the line says about itself; empty where it says nothing, or speaks of another one."""
    words = _LABEL.sub("", _SAYS.sub("", finding.statement)).strip()
    if len(words) < 12 or _EMPTY.search(words) or _OF_OTHERS.search(words):
        return ""
    return clip(words, WORDS_CHARS)
