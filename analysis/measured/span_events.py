"""Log events of operations: what a program used to write in an operation and no longer does, or never wrote before.

An exception or a wrong answer inside an operation hardly changes how long it takes. It shows in which lines follow it,
given that the operation runs at all: a count of lines alone only follows the traffic (Nezha, Yu et al. 2023).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.lines.levels import at_least, level
from analysis.lines.masks import masked
from analysis.measured.spans import Spans
from analysis.measured.trace_counts import more_often
from domain.results import TraceEdge

Mask = NDArray[np.bool_]
SPAN_ID: Final = re.compile(r"(?i)\bspan[._-]?id\W{1,4}([0-9a-f]{16})\b")
PLACE: Final = re.compile(  # in the code
    r"[\w.$\[\]/-]{2,}(?:#|\.(?:java|kt|scala|py|go|js|ts|rb|cs|cc|cpp|rs|php):)\d{1,5}\b"
)
WORDS: Final = 10  # that tell an event: later ones are arguments
RARE: Final = 0.1  # of the runs: as good as never
ENOUGH: Final = 4  # runs of the operation on either side
MOST: Final = 0.5  # of the runs: an event that is new or gone in fewer depends on the request
CHANGED: Final = 2.5  # standard errors


@dataclass(frozen=True, order=True)
class Event:
    """What a log line says, without what differs from run to run."""

    text: str
    complains: bool  # a warning or worse: its coming is news, its absence is none; with other lines it is the opposite


Events = Mapping[int, frozenset[Event]]  # row of a span -> what was logged in it


def events_of(lines: Iterable[str], rows: Mapping[str, int]) -> Iterator[tuple[int, Event]]:
    """Rows of spans with the events that the lines say of them; lines that name no known span say nothing.

    Where a line names its place in the code, the place is the event: what else it says are arguments.
    """
    known: dict[str, Event] = {}
    for line in lines:
        found = SPAN_ID.search(line)
        if found is not None and (row := rows.get(found[1].lower())) is not None:
            place = PLACE.search(line, 0, found.start())
            event = known.get(place[0]) if place else None
            if event is None:
                event = _event(line, found.end(), place[0] if place else "")
                known[place[0] if place else event.text] = event
            yield row, event


def _event(line: str, after_id: int, place: str) -> Event:
    said = masked(line[after_id:]).split() or masked(line).split()
    text = " ".join([place, *said[:WORDS]]).strip()
    return Event(text, at_least(level(line), "warning"))


def changed_events(spans: Spans, events: Events, late: Mask) -> Iterator[TraceEdge]:
    """One edge for each operation with an event that is new or gone: the one that changed most, ties by text."""
    runs = Counter[tuple[int, int, bool]]()
    hits: dict[tuple[int, int], dict[Event, list[int]]] = defaultdict(dict)
    logged = {(int(spans.entity[row]), int(spans.operation[row])) for row in events}
    for row, after in enumerate(late.tolist()):
        key = int(spans.entity[row]), int(spans.operation[row])
        if key in logged:
            runs[(*key, after)] += 1
            for event in events.get(row, ()):
                hits[key].setdefault(event, [0, 0])[after] += 1
    for key in sorted(hits):
        found = _most_changed(hits[key], runs[(*key, False)], runs[(*key, True)])
        if found is not None:
            yield _edge(spans, key, (runs[(*key, False)], runs[(*key, True)]), *found)


def _most_changed(hits: Mapping[Event, list[int]], before: int, after: int) -> tuple[float, Event, list[int]] | None:
    if before < ENOUGH or after < ENOUGH:
        return None
    changed = [
        (abs(score), event, counts)
        for event, counts in hits.items()
        if _turned(event.complains, counts[0] / before, counts[1] / after)
        and abs(score := more_often(counts[0], before, counts[1], after)) >= CHANGED
    ]
    return max(changed, key=lambda each: (each[0], each[1]), default=None)


def _turned(complains: bool, before: float, after: float) -> bool:
    """A complaint from never to mostly, another line from mostly to never."""
    return before <= RARE and after >= MOST if complains else after <= RARE and before >= MOST


def _edge(
    spans: Spans, key: tuple[int, int], runs: tuple[int, int], score: float, event: Event, counts: list[int]
) -> TraceEdge:
    name, what = spans.entities[key[0]], "new_event" if event.complains else "lost_event"
    return TraceEdge(
        name, name, spans.operations[key[1]], *runs, None, None, None, None, None, None, None, None, counts[0],
        counts[1], round(score, 2), what, event.text,
    )  # fmt: skip
