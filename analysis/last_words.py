"""What a program says of itself, where no runbook knows it: before it ends at every start, or while it runs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from analysis.case import Case
from analysis.lines.others import is_about_another
from analysis.measured.fusion import STRENGTH
from analysis.stopped import DOWN
from analysis.text import clip
from domain.entity import name_of
from domain.evidence import Finding, Severity
from domain.fault import is_fault

FAULT: Final = "process.start_failed"
SIGNATURE: Final = "process-start-failed/last_words"
SAID: Final = ("log.error", "log.new", "log.burst")
STATED: Final = "application.stated_error"
STATED_SIGNATURE: Final = "application-stated-error/own_words"
# Below what overturns an all-clear (analysis.health.NEAR_STRENGTH): one error line that nothing else bears is a guess.
STATED_WEIGHT: Final = 0.24
WEIGHT: Final = 0.5  # what a program says of its own end is a strong hint, no proof
KNOWN: Final = 0.5  # a runbook's signature this strong about the same thing knows better
WORDS_CHARS: Final = 190
# Faults that follow from a failed start, or only say that the process ended.
_FOLLOWS: Final = ("proxy.", "dependency.", "health.", "process.segfault")
# Words of another one that fails, whose name or answer stands in them.
_ELSEWHERE: Final = re.compile(
    r"(?i)(?:^|[\s_:])(?:service|server|upstream|backend)[ _](?:is )?(?:temporarily )?unavailable|"
    r"(?-i:\b(?:[A-Z]+_)*UNAVAILABLE\b)|"
    r"\b(?:returned|answered|responded with) 5\d\d\b"
)
# What follows any failed start, and says nothing about why.
_EMPTY: Final = re.compile(
    r"(?i)^\W*(?:error|fatal|panic|exception|aborting|abort(?:ed)?|exit(?:ing|ed)?|shutting down|boot failed|"
    r"[=*-]+|throw new \w+\W*|exception during startup|traceback.*|backtrace.*)\W*$|"
    r"fatal error during \w+ (?:startup|start)\W|init function returned error|registration as a \w+ engine failed|"
    r"aborted with error generic|"
    r"failed to start (?:the )?(?:server|application|service)|error running \S+$|"
    r"(?:got|by) signal \d+|aborting startup|prepare to shutdown"
)
# Words that tell what is wrong, not only that something is.
_CAUSE: Final = re.compile(
    r"(?i)\b(?:too (?:many|large|small|low|open|old|long|slow|big)|limit|exceed(?:s|ed)?|exhaust(?:s|ed)?|"
    r"permission|denied|not allowed|"
    r"not (?:set|configured|supported|permitted|trusted|enabled|loaded)|invalid|mismatch|incompatible|expired|missing|"
    r"increase|please use|must be|need(?:s|ed)? to|require[sd]?|maintenance|read-only|corrupt|locked|out of|full|"
    r"disabled|deprecated|unsupported|unknown (?:variable|option)|version|privilege)\b"
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


def stated_error(case: Case) -> Iterator[Finding]:
    """Where no runbook knows anything, and nothing is down: the error that says most about the one who says it."""
    known = any(f.weight >= KNOWN and is_fault(f.kind) and not f.only_advised for f in case.findings)
    if known or any(STRENGTH in f.captures for f in case.findings):
        return
    said = [f for f in case.findings if f.kind in SAID and f.citations]
    telling = [(finding, words) for finding in said if (words := _words(finding)) and _bears(finding, words)]
    if telling:
        best, words = max(telling, key=lambda pair: (*_telling(case, *pair), -said.index(pair[0])))
        yield replace(
            best, kind=STATED, statement=f"{name_of(best.entity)} says: {words}", weight=STATED_WEIGHT,
            signature=STATED_SIGNATURE, captures={"error": words},
        )  # fmt: skip


def _bears(finding: Finding, words: str) -> bool:
    """Whether it may stand behind the alert: what was always said, or says that another fails, names no cause."""
    return _ELSEWHERE.search(words) is None and (finding.kind != "log.error" or _tells(words))


def _telling(case: Case, finding: Finding, words: str) -> tuple[bool, float, int]:
    """Words that name a limit, a right or a setting tell a cause; then who is nearer to the alert, then how grave."""
    return _tells(words), case.near_alert(finding.entity), _rank(finding)


def _tells(words: str) -> bool:
    return _CAUSE.search(words) is not None


def _is_known(case: Case, of: str) -> bool:
    return any(
        finding.weight >= KNOWN
        and is_fault(finding.kind)
        and not finding.kind.startswith(_FOLLOWS)
        and not finding.only_advised
        and case.inventory.same(finding.entity, of)
        for finding in case.findings
    )


def _own(case: Case, down: Finding) -> Finding | None:
    own = [f for f in case.findings if f.kind in SAID and case.inventory.same(f.entity, down.entity) and f.citations]
    telling = [(finding, words) for finding in own if (words := _words(finding))]
    if not telling:
        return None
    said, words = max(telling, key=lambda pair: (_rank(pair[0]), _tells(pair[1]), -(pair[0].citations[0].line or 0)))
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
    if len(words) < 12 or _EMPTY.search(words) or is_about_another(words):
        return ""
    return clip(words, WORDS_CHARS)
