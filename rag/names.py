"""Names of alerts and runbooks, made comparable: exact first, then by their telling words."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from analysis.patterns import compiled
from domain.runbook import Runbook

# Who watches says nothing of what is wrong: rule sets put it before the name.
_WATCHERS: Final = frozenset(
    {
        "kube",
        "kubernetes",
        "k8s",
        "node",
        "prometheus",
        "host",
        "alert",
        "docker",
        "container",
        "pod",
        "instance",
        "high",
    }
)
# What every alert's name says in some way.
_FILLERS: Final = frozenset(
    {"is", "the", "a", "of", "on", "in", "has", "too", "for", "and", "error", "errors", "alert"}
)
_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SAME: Final = {
    "filesystem": "disk", "fs": "disk", "mem": "memory", "oom": "oomkill", "cert": "certificate", "tls": "certificate",
    "ssl": "certificate", "conn": "connection", "connections": "connection", "fd": "descriptor", "fds": "descriptor",
    "descriptors": "descriptor", "killed": "kill", "killer": "kill", "expired": "expiry", "expiring": "expiry",
    "expiration": "expiry", "expires": "expiry", "restarting": "restart", "restarts": "restart", "looping": "loop",
    "crashloop": "crash", "crashlooping": "crash", "full": "full", "filling": "full", "space": "full", "db": "database",
    "postgres": "postgresql", "replica": "replication", "lagging": "lag", "unreachable": "down", "unavailable": "down",
    "missing": "down", "throttled": "throttling",
}  # fmt: skip
_ENOUGH: Final = 0.75  # share of the telling words that two names must have in common


def words(name: str) -> tuple[str, ...]:
    """The words of a name in CamelCase, snake_case or kebab-case, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(name))


def plain(name: str) -> str:
    """The name without case, separators and the prefix of its rule set."""
    parts = list(words(name))
    while len(parts) > 2 and parts[0] in _WATCHERS:
        parts = parts[1:]
    return "".join(parts)


def matches_exactly(runbook: Runbook, name: str) -> bool:
    """Whether the runbook names this alert, as it is, normalised, or by a pattern for the whole name."""
    asked = plain(name)
    if any(asked == plain(each) for each in (*runbook.alerts, runbook.name)):
        return True
    return any(compiled(f"^(?:{each})$").search(name) is not None for each in runbook.alerts if not each.isalnum())


def matches_url(runbook: Runbook, url: str) -> bool:
    """Whether an alert's runbook_url ends in this runbook's name or in that of an alert it answers."""
    last = url.split("?")[0].split("#")[0].rstrip("/").rpartition("/")[2]
    asked = last.removesuffix(".md").removesuffix(".html")
    # Sites write names in lower case, where a prefix cannot be told from the rest.
    return bool(asked) and any(
        _bare(asked) == _bare(each) or plain(asked) == plain(each) for each in (runbook.name, *_names(runbook.alerts))
    )


def likeness(runbook: Runbook, name: str) -> float:
    """How much the telling words of an alert's name and those of the runbook's names have in common, 0..1."""
    asked = _telling(name)
    if len(asked) < 2:
        return 0.0
    return max((_shared(asked, _telling(each)) for each in (runbook.name, *_names(runbook.alerts))), default=0.0)


def is_alike(runbook: Runbook, name: str) -> bool:
    """Whether they are so alike that the runbook is meant."""
    return likeness(runbook, name) >= _ENOUGH


def _bare(name: str) -> str:
    return "".join(words(name))


def _shared(asked: frozenset[str], known: frozenset[str]) -> float:
    return len(asked & known) / max(len(asked | known), 1) if len(known) > 1 else 0.0


def _telling(name: str) -> frozenset[str]:
    return frozenset(_SAME.get(word, word) for word in words(name)) - _WATCHERS - _FILLERS


def _names(alerts: Sequence[str]) -> Iterable[str]:
    return (each for each in alerts if each.isidentifier())
