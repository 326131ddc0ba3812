"""Whether an entity that a report names is one that the ground truth accepts."""

import re
from typing import Final

from app.bundle_text import BundleText
from domain.entity import KINDS

MOST_WORDS: Final = 3
FREE_KINDS: Final = ("query", "process")  # a statement or a command line may have many words
# What other products call things; the part before the colon is no part of the name for these either.
OTHER_KINDS: Final = frozenset({
    "node", "deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "namespace", "workload", "app",
    "image", "instance", "cluster", "filesystem", "file", "device", "mount", "port", "dns", "commit", "deploy", "flag",
    "session", "topic",
})  # fmt: skip
_PART: Final = re.compile(r"/?[^\s_./:@-]+")


def split(entity: str) -> tuple[str, str]:
    """Kind and name in lower case; without a known kind all of it is the name."""
    low = entity.strip().lower()
    kind, colon, name = low.partition(":")
    return (kind, name.strip()) if colon and (kind in KINDS or kind in OTHER_KINDS) else ("", low)


def counted(kind: str, name: str, text: BundleText | None) -> str:
    """What of the name counts: all of it, or where only two halves stand in the bundle, one of them; or nothing."""
    starts = [part.start() for part in _PART.finditer(name)]
    if len(name.split()) > MOST_WORDS:
        return name if kind in FREE_KINDS else ""
    if len(starts) < 2 or text is None or text.mentions(name):
        return name
    halves = ((name[:at], name[at:]) for at in starts[1:])
    known = ((first, second) for first, second in halves if text.mentions(first) and text.mentions(second))
    return next((second if re.match("/.*[a-z]", second) else first for first, second in known), "")


def accepts(accepted: str, kind: str, name: str) -> bool:
    """Whether the name has the accepted one at the start of one of its parts, and the kind fits where one is asked."""
    only, wanted = split(accepted)
    return (kind == only if only else len(name.split()) <= MOST_WORDS) and _begins_part(wanted, name)


def _begins_part(wanted: str, name: str) -> bool:
    """`mysql` in `db-mysql57`: a part begins so, and ends there or goes on with a digit."""
    before, after = "(?<![a-z0-9])" * wanted[:1].isalnum(), "(?![a-z])" * wanted[-1:].isalnum()
    flat = " ".join(name.lower().split())
    blanks = " ".join(re.sub(r"[_./:-]+", " ", flat).split())
    return bool(re.search(f"{before}{re.escape(wanted)}{after}", f"{flat}\n {blanks} "))
