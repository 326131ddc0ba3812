"""A runbook's signature as a rule, and the finding it gives when it fires."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final, Literal

from analysis.inventory_names import RUNNING
from analysis.wording import fill
from domain.entity import entity, name_of
from domain.evidence import Citation, Finding, Severity
from domain.facts import Attribute, Fact
from domain.runbook import Runbook, Signature

AGAINST: Final = "against."  # a finding of this kind speaks against the fault that follows
MOST_CITATIONS: Final = 3
FACT_NAME: Final = "fact_name"  # what a template calls the attribute `name`
_STRONG: Final = 0.5  # from this weight on a signature is an error of its own
_BYTES: Final = {
    "container": {"memory_limit", "memory_usage", "memory_request", "shm_size", "heap"},
    "workload": {"memory_limit", "heap"},
    "process": {"rss", "vsz"},
    "filesystem": {"size", "used", "available"},
    "directory": {"size", "former_size", "filler_size"},
    "memory": {"total", "used", "free", "available", "shared", "cache", "swap_total", "swap_used", "swap_free"},
    "file": {"size"},
    "disk": {"size"},
    "replication": {"lag_bytes", "retained_bytes"},
    "cache": {"used_memory", "max_memory"},
}  # attributes that are shown in the unit a person would choose


@dataclass(frozen=True)
class Rule:
    """A signature with its runbook, and whether it speaks for or against the fault."""

    runbook: Runbook
    signature: Signature
    against: bool = False

    @property
    def id(self) -> str:
        """`<runbook>/<id>`, or `<runbook>/!<id>` when it speaks against."""
        return f"{self.runbook.name}/{'!' if self.against else ''}{self.signature.id}"

    @property
    def kind(self) -> str:
        """What its finding is a finding of."""
        return f"{AGAINST if self.against else ''}{self.runbook.fault}"

    def covers(self, source: str) -> bool:
        """Whether a source is one it looks at; `sources` is a glob, or several with commas between."""
        globs = self.signature.sources
        return not globs or any(fnmatchcase(source, glob.strip()) for glob in globs.split(","))


@dataclass(frozen=True)
class Shot:
    """One firing of a rule: about what, with which parts named, and where it can be seen."""

    about: str
    captures: dict[str, str]
    citations: tuple[Citation, ...]
    onset: datetime | None = None
    resolution: float | None = None
    score: float = 0.0


def rules(knowledge: Iterable[Runbook], test: Literal["text", "state", "metric"]) -> Iterator[Rule]:
    """All signatures with this kind of test, those that speak against included."""
    for runbook in knowledge:
        for against, signatures in ((False, runbook.signatures), (True, runbook.contradicts)):
            for signature in signatures:
                if getattr(signature, test) is not None:
                    yield Rule(runbook, signature, against)


def finding(rule: Rule, shot: Shot) -> Finding:
    """The finding that a firing gives."""
    return Finding(
        entity=shot.about,
        kind=rule.kind,
        statement=fill(rule.signature.reason, shot.about, shot.captures),
        citations=shot.citations[:MOST_CITATIONS],
        onset=shot.onset,
        resolution_seconds=shot.resolution,
        severity=_severity(rule),
        weight=rule.signature.weight,
        signature=rule.id,
        captures=shot.captures,
        score=shot.score,
    )


def about(rule: Rule, captured: str, owner: str) -> str:
    """The captured name under the signature's kind, or the runbook's; the source's owner where nothing was captured.

    The owner is of the signature's kind, if that is one of what runs: who writes a log is no host and no disk.
    """
    named = captured or (name_of(owner) if rule.signature.entity in RUNNING else "")
    try:
        return entity(rule.signature.entity or rule.runbook.entity, named) if named else owner
    except ValueError:
        return owner


def fact_captures(fact: Fact) -> dict[str, str]:
    """A fact's attributes as the words a sentence is filled with."""
    found: dict[str, str] = {}
    sizes = _BYTES.get(fact.kind, set())
    for name, value in fact.attributes.items():
        if value is not None and value != "" and value != []:
            found[name] = _size(value) if name in sizes and isinstance(value, int) else _words(value)
    if "name" in found:
        found[FACT_NAME] = found["name"]  # in a template {name} is the entity's
    return found


def _words(value: Attribute) -> str:
    if isinstance(value, list):
        return ", ".join(_words(each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _size(value: int) -> str:
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(amount) < 1024:
            return f"{amount:.4g} {unit}"
        amount /= 1024
    return f"{amount:.4g} TiB"


def _severity(rule: Rule) -> Severity:
    if rule.against:
        return Severity.INFO
    return Severity.ERROR if rule.signature.weight >= _STRONG else Severity.WARNING
