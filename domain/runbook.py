"""A runbook: prose for people and models, front matter for the machine."""

from dataclasses import dataclass

from domain.facts import Attribute


@dataclass(frozen=True)
class Condition:
    """What one attribute must satisfy. Exactly one of the tests is set; `negate` turns it round."""

    attribute: str
    equals: Attribute = None
    matches: str | None = None  # RE2, searched in the text of the value; of a list: in any of its items
    above: float | None = None
    below: float | None = None
    one_of: tuple[Attribute, ...] = ()
    present: bool | None = None
    negate: bool = False


@dataclass(frozen=True)
class StateTest:
    """A predicate on one typed fact: kind, and all of its conditions."""

    fact: str
    where: tuple[Condition, ...]


@dataclass(frozen=True)
class MetricTest:
    """A condition on a series."""

    metric: str  # RE2 on the metric's name, case-insensitive
    change: str = ""  # up | down: against just before, by at least `score` robust sigmas
    score: float = 4.0
    above: float | None = None  # on the value after onset
    below: float | None = None
    ratio: float | None = None  # the median after over the median before must be at least this


@dataclass(frozen=True)
class Signature:
    """Something to see that speaks for (or, under `contradicts`, against) a fault. One of the three tests is set."""

    id: str  # unique within its runbook
    reason: str  # statement when it fires; {entity} and captures are filled in
    weight: float  # 0..1
    text: str | None = None  # RE2 with named captures such as entity, upstream
    state: StateTest | None = None
    metric: MetricTest | None = None
    entity: str = ""  # kind of the `entity` capture, when it is not the runbook's own
    when: str = "seen"  # seen | absent (only under contradicts: facts of that kind exist, and none satisfies)
    sources: str = ""  # glob on source names; empty: all


@dataclass(frozen=True)
class Remedy:
    """One thing to do."""

    text: str
    command: str = ""  # {entity}, {name} and captures are filled in and shell-quoted
    risk: str = "read"


@dataclass(frozen=True)
class Runbook:
    """One fault: how it looks, what follows from it, what to do."""

    name: str  # of its folder
    description: str
    fault: str
    entity: str  # kind at fault
    summary: str  # the mechanism in one sentence; {entity}, {name} and captures are filled in
    alerts: tuple[str, ...] = ()  # names or RE2 matchers of alerts it answers
    signatures: tuple[Signature, ...] = ()
    explains: tuple[str, ...] = ()  # faults that follow from it; `family.*` for all of a family
    contradicts: tuple[Signature, ...] = ()
    allowed_tools: tuple[str, ...] = ()  # advice; grants nothing
    now: tuple[Remedy, ...] = ()
    next: tuple[Remedy, ...] = ()
    prevention: tuple[Remedy, ...] = ()
    checks: tuple[Remedy, ...] = ()  # read-only commands that tell it from its look-alikes, cheapest first
    body: str = ""  # Meaning, Impact, Diagnosis, Mitigation
    folder: str = ""  # where it was read from; for messages only
