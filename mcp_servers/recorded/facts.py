"""All facts of a bundle, collected once: engine documents, host and network snapshots, and captured commands."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from analysis.captures import facts_of
from analysis.captures.context import Context
from analysis.captures.docker_events import event_fact
from analysis.captures.docker_inspect import inspect_facts
from analysis.captures.docker_stats import stats_fact
from analysis.captures.snapshot import snapshot_facts
from analysis.lines.timestamps import Clock
from bundle.bundle import Bundle
from domain.errors import BadBundle
from domain.facts import Fact
from domain.results import Facts, Searched
from mcp_servers.joined import joined

INSPECT: Final = "docker/containers.json"
EVENTS: Final = "docker/events.jsonl"
STATS: Final = "docker/stats.jsonl"
SNAPSHOT: Final = "host/snapshot.json"
PROBES: Final = "network/probes.json"
MOST_FACTS: Final = 3000
_DOCUMENTS: Final = (INSPECT, EVENTS, STATS, SNAPSHOT, PROBES)
_BLANK_BYTES: Final = 3  # [] or {} and a line end: somebody looked, and there was nothing
_MOST_BYTES: Final = 4_000_000  # of one capture; what is longer is a log, not a command's output
_NO_CAPTURES: Final = ("*.diff", "*.patch")
_EVENT_LOGS: Final = ("logs/*events*",)  # written by collectors: one event a line
# A stranger's text that a parser stumbles over must not hide the rest; what it was is said in `problems`.
_STUMBLES: Final = (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Collected:
    """Facts in order of source and place, and what could not be read."""

    facts: tuple[Fact, ...]
    sources: tuple[str, ...]
    problems: tuple[str, ...]

    def select(self, wanted: Callable[[Fact], bool], bundle: Bundle, asked: str = "", window: str = "") -> Facts:
        """The facts that are wanted; those later than the bundle's now are withheld and counted."""
        found = [fact for fact in self.facts if wanted(fact)]
        seen = [fact for fact in found if fact.at is None or fact.at <= bundle.now]
        kept = tuple(seen[:MOST_FACTS])
        searched = Searched(
            ", ".join(self.sources) or "no docker/, host/, network/ or artifacts/ in this bundle",
            window=window,
            filter=asked,
            matched=len(seen),
            returned=len(kept),
            truncated=len(kept) < len(seen),
            after_window=len(found) - len(seen),
            problems=self.problems,
        )
        return Facts(kept, searched)

    def of_kinds(self, kinds: Collection[str], bundle: Bundle, asked: str = "") -> Facts:
        """The facts of these kinds."""
        return self.select(lambda fact: fact.kind in kinds, bundle, asked)


_known: WeakKeyDictionary[Bundle, Collected] = WeakKeyDictionary()
_lock: Final = Lock()


def collected(bundle: Bundle) -> Collected:
    """All facts of the bundle; read once, whichever server asks first."""
    with _lock:
        if bundle not in _known:
            _known[bundle] = _collect(bundle)
        return _known[bundle]


def _collect(bundle: Bundle) -> Collected:
    clock = Clock(bundle.now, bundle.timezone)
    facts: list[Fact] = []
    problems: list[str] = []
    sources = [name for name in bundle.files() if _is_source(name)]
    for name in sources:
        try:
            before = len(facts)
            facts += _read(bundle, name, clock, problems)
            if len(facts) == before and name in _DOCUMENTS and bundle.size(name) > _BLANK_BYTES:
                problems.append(f"{name}: nothing in it could be read as a fact")
        except BadBundle as exc:
            problems.append(str(exc))
        except _STUMBLES as exc:
            problems.append(f"{name}: could not be read as facts ({type(exc).__name__}: {exc}); read it as text")
    return Collected(tuple(joined(facts)), tuple(sources), tuple(problems))


def _is_source(name: str) -> bool:
    if any(fnmatch(name, pattern) for pattern in _NO_CAPTURES):
        return False
    return name.startswith(("docker/", "host/", "network/", "artifacts/")) or any(fnmatch(name, p) for p in _EVENT_LOGS)


def _read(bundle: Bundle, name: str, clock: Clock, problems: list[str]) -> Iterable[Fact]:
    context = Context(name, clock=clock)
    if name == INSPECT:
        document = bundle.read_json(name)
        return inspect_facts(document if isinstance(document, list) else [document], context)
    if name in (EVENTS, STATS):
        read = event_fact if name == EVENTS else stats_fact
        return [
            fact for row in bundle.read_jsonl(name, problems) if isinstance(row, dict) and (fact := read(row, context))
        ]
    if name.startswith(("host/", "network/")) and name.endswith(".json"):
        return snapshot_facts(bundle.read_json(name), context)
    return _captured(bundle, name, clock, problems)


def _captured(bundle: Bundle, name: str, clock: Clock, problems: list[str]) -> Iterator[Fact]:
    if name.startswith(("artifacts/", "logs/")) and name not in bundle.text_sources():
        return
    if bundle.size(name) > _MOST_BYTES:
        problems.append(f"{name}: longer than {_MOST_BYTES} bytes, read as text only")
        return
    yield from facts_of(name, bundle.read_text(name), clock)
