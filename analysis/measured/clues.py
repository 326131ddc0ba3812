"""Direct clues: an entity's own resources, and the calls around it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from analysis.measured.callgraph import is_pseudo
from analysis.measured.felt import felt, is_full, is_idle, milliseconds
from analysis.measured.series import bad_direction
from domain.results import SeriesSummary, TraceEdge

SURE: Final = 6.0  # sigmas: with hundreds of series, four are exceeded by chance somewhere
DIRECT: Final = 1.0  # added to what an entity does to itself: nobody else's trouble makes it
RISES: Final = 1.5  # sigmas: a short history makes its scale wide, and one in fifteen goes so far by chance
TURNED: Final = 2.0  # for a line that turned from always to never or back: few runs show few sigmas of what is certain
MOST: Final = 1000.0  # sigmas
ROOM: Final = 0.5  # off, for a processor that rose and has room left
TIMES: Final = {"cpu": 1.5, "memory": 1.15, "disk": 1.5, "saturation": 1.5}  # a change must be felt, not only seen
_FAULTS: Final = {
    "cpu": "cpu.saturation", "memory": "memory.leak", "disk": "disk.io_latency", "saturation": "load.saturation",
}  # fmt: skip
_CLIENT_SIDE: Final = re.compile(r"caller|client|source|upstream_rq", re.IGNORECASE)
_SERVER_SIDE: Final = re.compile(r"callee|server|destination", re.IGNORECASE)


@dataclass(frozen=True)
class Clue:
    """One thing that speaks for an entity."""

    entity: str
    fault: str
    strength: float
    why: str
    series: int | None = None  # place in the series it was read from
    edge: int | None = None  # place in the trace edges


def weighed(sigmas: float) -> float:
    """Strength of a deviation: its size in powers of ten. Beyond MOST it only tells how quiet the series was before."""
    return log10(1.0 + min(max(sigmas, 0.0), MOST))


def number(value: float | None) -> str:
    """A value as a person reads it."""
    return "?" if value is None else f"{value:.4g}"


def told(one: SeriesSummary) -> str:
    """A series' change in words: entity, metric, before, after, ratio."""
    before, after = one.median_before, one.median_after
    ratio = f", {after / before:.2g} times" if before and after is not None and after / before > 0 else ""
    moved = {"up": "rose", "down": "fell"}.get(one.direction, "moved")
    return f"{one.entity}: {one.metric} {moved} from {number(before)} to {number(after)}{ratio}"


def badness(one: SeriesSummary) -> float:
    """The score in the bad direction; below zero for a change to the better."""
    return one.score * bad_direction(one.metric)


def of_resources(series: Sequence[SeriesSummary]) -> Iterator[Clue]:
    """Own processor, memory, disk and queues that jumped."""
    for at, one in enumerate(series):
        if one.kind in _FAULTS and badness(one) >= SURE and _felt(one) and "->" not in one.entity:
            strength = DIRECT + weighed(badness(one)) - (ROOM if is_idle(one) else 0.0)
            yield Clue(one.entity, _FAULTS[one.kind], strength, told(one), series=at)


def _felt(one: SeriesSummary) -> bool:
    before, after = one.median_before, one.median_after
    if before is None or after is None or not felt(one):
        return False
    if bad_direction(one.metric) < 0:
        before, after = after, before
    return after >= TIMES[one.kind] * before


def of_edge_series(series: Sequence[SeriesSummary]) -> Iterator[Clue]:
    """Series of a call, named `caller->callee`: slow for the caller but not in the callee is the network between."""
    served = defaultdict(list)
    for one in series:
        if "->" in one.entity and one.kind == "latency" and _SERVER_SIDE.search(one.metric):
            served[one.entity].append(one)
    for at, one in enumerate(series):
        _, arrow, callee = one.entity.partition("->")
        if not arrow or one.kind != "latency" or badness(one) < SURE or not _CLIENT_SIDE.search(one.metric):
            continue
        within = max((_added(other) for other in served[one.entity]), default=0.0)
        if served[one.entity] and within < _added(one) / 2 and _added(one) >= (one.median_before or 0.0):
            yield Clue(callee, "network.delay", DIRECT + weighed(badness(one)), told(one), series=at)


def is_callers(one: SeriesSummary) -> bool:
    """Whether the series is what callers measured of an entity."""
    return _CLIENT_SIDE.search(one.metric) is not None


def served_as_ever(series: Sequence[SeriesSummary]) -> frozenset[str]:
    """Entities that measure their own latency, none of which rose."""
    own = [one for one in series if one.kind == "latency" and _SERVER_SIDE.search(one.metric)]
    return frozenset(one.entity for one in own) - {one.entity for one in own if badness(one) >= RISES}


def served_later_ms(series: Sequence[SeriesSummary], entity: str) -> float:
    """By how many milliseconds the entity's own end measured its calls to take longer; 0 where it measured none.

    A mesh tells it in a series of the call, `caller->entity`.
    """
    own = [
        _added(one) * milliseconds(one)
        for one in series
        if one.kind == "latency" and one.entity.rpartition("->")[2] == entity and _SERVER_SIDE.search(one.metric)
    ]
    return max(own, default=0.0)


def at_limit(series: Sequence[SeriesSummary], entity: str) -> int | None:
    """The place of the entity's processor share where it rose to its limit; None where it did not or is not known."""
    full = (at for at, one in enumerate(series) if one.entity == entity and is_full(one) and badness(one) >= RISES)
    return next(full, None)


def _added(one: SeriesSummary) -> float:
    return (one.median_after or 0.0) - (one.median_before or 0.0)


def of_traces(edges: Sequence[TraceEdge]) -> Iterator[Clue]:
    """Calls that the network delays, that fail, or that are no longer made."""
    yield from _delays(edges)
    for at, edge in enumerate(edges):
        if edge.what == "missing_calls":
            why = f"{edge.caller}: {edge.operation} ended early in {edge.errors_after} of {edge.calls_after} runs, "
            why += f"last in {edge.callee}" if edge.callee != edge.caller else "before it called anyone"
            yield Clue(edge.callee, "application.exception", DIRECT + weighed(edge.score), why, edge=at)
        elif edge.what in ("new_event", "lost_event"):
            why = (
                f'{edge.callee}: {edge.operation} logged "{edge.event}" in {edge.errors_after} of {edge.calls_after} '
                f"runs, in {edge.errors_before} of {edge.calls_before} before"
            )
            yield Clue(edge.callee, "application.exception", TURNED + weighed(edge.score), why, edge=at)
        elif edge.what == "failing":
            why = (
                f"{edge.callee}: {edge.operation} failed in {edge.errors_after} of {edge.calls_after} calls, "
                f"{edge.errors_before} of {edge.calls_before} before"
            )
            yield Clue(edge.callee, "trace.failing", weighed(edge.score), why, edge=at)


def _delays(edges: Sequence[TraceEdge]) -> Iterator[Clue]:
    """The end that the delayed calls have in common: a callee, or a caller whose calls to several are all delayed."""
    delayed = [(at, edge) for at, edge in enumerate(edges) if edge.what == "network_delay"]
    called: dict[str, set[str]] = defaultdict(set)
    for _, edge in delayed:
        called[edge.caller].add(edge.callee)
    for at, edge in delayed:
        several = len(called[edge.caller]) > 1 and not is_pseudo(edge.caller)
        blamed = edge.caller if several and len(called[edge.callee]) == 0 else edge.callee
        why = (
            f"{edge.caller} waits {number(edge.gap_after_ms)} ms longer for {edge.callee} than {edge.callee} works "
            f"({edge.operation}), {number(edge.gap_before_ms)} ms before"
        )
        yield Clue(blamed, "network.delay", DIRECT + weighed(edge.score), why, edge=at)
