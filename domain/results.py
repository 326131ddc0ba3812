"""What the tools of our own servers return: the shapes of their structured output."""

from dataclasses import dataclass, field
from datetime import datetime

from domain.facts import Fact


@dataclass(frozen=True)
class Searched:
    """What a call looked at. Every result has one, so that absence can be told from blindness."""

    source: str  # which sources, in words or as a list of names
    window: str = ""  # since/until as given
    filter: str = ""  # grep, level, ... as given
    matched: int = 0  # before limits
    returned: int = 0
    truncated: bool = False
    after_window: int = 0  # rows later than `now`, left out
    problems: tuple[str, ...] = ()  # one line for each thing that could not be read: what, why


@dataclass(frozen=True)
class Facts:
    """Typed facts of one source."""

    facts: tuple[Fact, ...]
    searched: Searched


@dataclass(frozen=True)
class TextSource:
    """One text source: a log, or the captured output of a command."""

    name: str  # path from the bundle's root, or the live name
    entity: str  # whose text it is, as far as its name or content tells; else ""
    kind: str  # log | artifact
    bytes: int
    lines: int | None = None
    first: datetime | None = None
    last: datetime | None = None
    levels: dict[str, int] = field(default_factory=dict)
    problem: str = ""  # binary, unreadable, ...


@dataclass(frozen=True)
class TextSources:
    """All text sources."""

    sources: tuple[TextSource, ...]
    searched: Searched


@dataclass(frozen=True)
class Line:
    """One line, verbatim."""

    source: str
    line: int  # from 1
    text: str
    at: datetime | None = None
    level: str | None = None


@dataclass(frozen=True)
class Lines:
    """Lines that a search found, in order of source, then line."""

    lines: tuple[Line, ...]
    searched: Searched


@dataclass(frozen=True)
class SignatureHit:
    """One text signature in one source."""

    id: str
    source: str
    count: int
    first: datetime | None
    last: datetime | None
    captures: tuple[dict[str, str], ...]  # distinct named captures, at most 8, in order of appearance
    lines: tuple[Line, ...]  # at most three
    spans: tuple[str, ...]  # the matched span of each of `lines`, 12 to 300 characters where the line has them
    entity: str = ""  # whose source it is


@dataclass(frozen=True)
class SignatureHits:
    """All that matched."""

    hits: tuple[SignatureHit, ...]
    searched: Searched


@dataclass(frozen=True)
class Template:
    """Lines of one shape in one source."""

    id: str
    text: str
    source: str
    count: int
    level: str | None
    first: datetime | None
    last: datetime | None
    sample: Line
    before: int = 0  # how many before the moment asked for
    after: int = 0
    change: str = ""  # new | burst | gone, against the time before
    entity: str = ""
    variants: tuple[tuple[str, int, int], ...] = ()  # releases that write to the source: name, such lines, all lines


@dataclass(frozen=True)
class Templates:
    """Templates, the most telling first."""

    templates: tuple[Template, ...]
    searched: Searched


@dataclass(frozen=True)
class SeriesInfo:
    """That a series exists."""

    entity: str
    metric: str
    points: int


@dataclass(frozen=True)
class SeriesList:
    """The series of a source."""

    series: tuple[SeriesInfo, ...]
    searched: Searched


@dataclass(frozen=True)
class SeriesSummary:
    """One series in a few numbers, with how it changed at a moment."""

    entity: str  # as the source names it, without a kind
    metric: str
    points: int
    min: float
    mean: float
    max: float
    last: float
    median_before: float | None = None  # in the minutes just before the moment
    median_after: float | None = None
    score: float = 0.0  # change over floored robust scale, signed
    direction: str = ""  # up | down | flat
    onset: datetime | None = None
    kind: str = ""  # latency | error | traffic | cpu | memory | disk | network | saturation | other
    source: str = ""
    step_seconds: float | None = None


@dataclass(frozen=True)
class SeriesSummaries:
    """Summaries, the most anomalous first."""

    series: tuple[SeriesSummary, ...]
    searched: Searched


@dataclass(frozen=True)
class SeriesPoints:
    """Points of one series."""

    entity: str
    metric: str
    points: tuple[tuple[str, float], ...]  # RFC 3339, value
    searched: Searched


@dataclass(frozen=True)
class TraceEdge:
    """Calls from one service to another, before and after a moment."""

    caller: str
    callee: str
    operation: str
    calls_before: int
    calls_after: int
    p50_before_ms: float | None
    p50_after_ms: float | None
    p95_before_ms: float | None
    p95_after_ms: float | None
    self_before_ms: float | None  # time of the callee not spent in its children
    self_after_ms: float | None
    gap_before_ms: float | None  # client time minus server time: the network between
    gap_after_ms: float | None
    errors_before: int
    errors_after: int
    score: float
    what: str = ""  # slow | failing | network_delay | missing_calls | new_event | lost_event | ok
    event: str = ""  # of new_event and lost_event: the log line; errors_before and _after count the runs that have it


@dataclass(frozen=True)
class TraceEdges:
    """Edges, the worst first."""

    edges: tuple[TraceEdge, ...]
    searched: Searched


@dataclass(frozen=True)
class Edge:
    """One dependency: the caller needs the callee."""

    caller: str
    callee: str
    origin: str = ""  # topology | compose | trace | address | env


@dataclass(frozen=True)
class Topology:
    """Who calls whom, and what runs where."""

    edges: tuple[Edge, ...]
    runs_on: dict[str, str]
    searched: Searched


@dataclass(frozen=True)
class Change:
    """Something that somebody changed."""

    id: str
    time: datetime | None
    entity: str  # as the source names it
    kind: str  # deploy | config | flag | scale | commit | restart
    summary: str
    commit: str = ""
    author: str = ""
    files: tuple[str, ...] = ()
    diff: str = ""  # path of the diff
    minutes_before: float | None = None  # before the moment asked for
    reachable: bool | None = None  # whether the symptom can be reached from it
    distance: int | None = None  # calls between; below 0 where it is the change that calls the symptom
    source: str = ""
    line: int | None = None
    quote: str = ""


@dataclass(frozen=True)
class Changes:
    """Changes, the latest first."""

    changes: tuple[Change, ...]
    searched: Searched


@dataclass(frozen=True)
class Passage:
    """A piece of a runbook, or of a confirmed past incident."""

    runbook: str
    fault: str
    heading: str
    text: str
    score: float
    how: str  # alert_name | runbook_url | structural | hybrid
    kind: str = "runbook"  # runbook | incident


@dataclass(frozen=True)
class Passages:
    """What retrieval found; empty and `fits` false when nothing does."""

    passages: tuple[Passage, ...]
    fits: bool
    searched: Searched


@dataclass(frozen=True)
class Page:
    """One page of a runbook, read by its logical id."""

    runbook: str
    page: int
    pages: int
    text: str
    searched: Searched
