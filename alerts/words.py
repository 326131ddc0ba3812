"""What senders call the end of a trouble, and its beginning: single words, phrases, numbers and flags."""

import re
from typing import Final

from domain.alert import AlertStatus
from domain.codec import Json

# Of a phrase such as POLICY_CLOSE_CRITICAL or ResolvedWarning these say more than the rest.
_ENDS: Final = frozenset((
    "resolved", "resolve", "recovered", "recovery", "recover", "cleared", "clear", "closed", "close", "restored",
    "ended", "end", "ok", "operational", "deactivated", "canceled", "cancelled", "fixed", "reset", "reenabled",
    "completed", "postmortem",
))  # fmt: skip
_BEGINS: Final = frozenset((
    "firing", "fired", "alerting", "alarm", "open", "opened", "triggered", "trigger", "problem", "down", "critical",
    "error", "errors", "warning", "warn", "fail", "failed", "failure", "failing", "outage", "missing", "degraded",
    "unhealthy", "unresolved", "reopened", "started", "start", "investigating", "identified", "activated", "active",
    "new", "created", "overdue", "late",
))  # fmt: skip
_WELL: Final = frozenset((
    "up", "healthy", "available", "passing", "passed", "success", "successful", "succeeded", "normal", "inactive",
    "reporting", "alive", "green", "good",
))  # fmt: skip
_NOT: Final = frozenset(("not", "no", "never", "un", "non", "cannot", "unable"))
_FAILED: Final = frozenset(("fail", "failed", "fails", "failing", "failure"))  # `to resolve`
_ARROW: Final = re.compile(r"\s*(?:->|=>|→|➡)\s*")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_YES: Final = ("resolved", "isresolved", "recovered", "cleared", "iscleared", "closed", "isclosed", "isrecovered")
_NO: Final = ("firing", "isfiring", "active", "isactive", "alerting", "isopen", "triggered", "isalerting")
# What a title says when a trouble is over. `up`, `ok` and `recovery` are also names of what is watched: they count as
# marks, or at the end.
_OVER: Final = re.compile(
    r"""(?xi) \b(?:recovered|resolved|cleared)\b
    | \[(?:ok|up|recovery)\] | ->\s*(?:up|ok)\b | \(now:\ up\)
    | ^\W*(?:ok|up|recovery)(?=\s*(?:[:\]]|$)|\s+-) | ^\W*(?-i:RECOVERY)\b
    | \b(?:is|are|came|now)\ (?:back\ )?up(?=\W*$|\ again\b) | \bis\ (?-i:UP): | \bis\ back\ up\b(?!\ to\b)
    | ^\W*back\ up(?=\W*$|:) | \bback\ (?:online|to\ normal)\b"""
)
# What takes that back where it stands right before: `could not be`, `unable to be fully`, `has not yet`.
_REFUSED: Final = re.compile(
    r"(?i)(?:\b(?:not|never|cannot|(?:unable|fail(?:s|ed|ing|ure)?) to)|n['’]t)"
    r"(?: (?:yet|all|have|has|be|been|being|get|is|come|\w+ly))* ?$"
)
_MOST_WORDS: Final = 6  # of a state; a longer text is a sentence


def key(name: str) -> str:
    """A key without case and marks: `alertName`, `alert_name` and `ALERT.NAME` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def state_of(text: str) -> AlertStatus | None:
    """What a short text says of the state; of `DOWN -> UP` the end counts, of `not responding` the refusal."""
    words = [word.lower() for word in _WORD.findall(_ARROW.split(text.strip())[-1])]
    if not words or len(words) > _MOST_WORDS:
        return None
    if "to" in words and not _FAILED.isdisjoint(words):
        return AlertStatus.FIRING
    if not _ENDS.isdisjoint(words) and _NOT.isdisjoint(words):
        return AlertStatus.RESOLVED
    if not _BEGINS.isdisjoint(words) or not _NOT.isdisjoint(words):
        return AlertStatus.FIRING
    return None if _WELL.isdisjoint(words) else AlertStatus.RESOLVED


def tells_end(title: str) -> bool:
    """Whether a title says that the trouble is over, and does not say that it could not be."""
    return any(not _REFUSED.search(title[: found.start()]) for found in _OVER.finditer(title))


def state_of_flag(name: str, value: Json) -> AlertStatus | None:
    """What a flag such as `resolved: true` or `is_firing: false` says, or a `clear` that is there only at the end."""
    if key(name) == "clear" and isinstance(value, str) and value:
        return AlertStatus.RESOLVED
    if not isinstance(value, bool):
        return None
    if key(name) in _YES:
        return AlertStatus.RESOLVED if value else AlertStatus.FIRING
    if key(name) in _NO:
        return AlertStatus.FIRING if value else AlertStatus.RESOLVED
    return None
