"""What became of the calls between services at a moment: slow, failing, delayed by the network, or no longer made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.measured.anomaly import LAG_SECONDS
from analysis.measured.flow import broken_flows
from analysis.measured.series import Floats
from analysis.measured.span_events import Events, changed_events
from analysis.measured.spans import Spans
from analysis.measured.trace_counts import more_often
from domain.results import TraceEdge

Mask = NDArray[np.bool_]
ENOUGH: Final = 3  # calls on either side, or a median is an anecdote
FLOOR_MS: Final = 1.0  # clocks and schedulers jitter by about that much
FLOOR: Final = 0.1  # of the median: as for series, but latencies of single calls spread wider than their averages
FELT_MS: Final = 5.0  # a network that adds less than this to a call explains no alert
FELT_SHARE: Final = 0.5  # nor one that adds less than half of what a hop took before
SLOW: Final = 4.0  # sigmas
FAILING: Final = 3.0  # standard errors


@dataclass(frozen=True)
class _Sides:
    before: Floats
    after: Floats

    @property
    def enough(self) -> bool:
        return len(self.before) >= ENOUGH and len(self.after) >= ENOUGH

    def score(self) -> float:
        """How much later the median is, in floored robust sigmas of the calls before."""
        if not self.enough:
            return 0.0
        middle = float(np.median(self.before))
        spread = 1.4826 * float(np.median(np.abs(self.before - middle)))
        return (float(np.median(self.after)) - middle) / max(spread, FLOOR * middle, FLOOR_MS)


def _sides(values: Floats, late: Mask) -> _Sides:
    known = np.isfinite(values)
    return _Sides(values[known & ~late], values[known & late])


def _p(values: Floats, percent: float) -> float | None:
    return round(float(np.percentile(values, percent)), 3) if len(values) else None


def trace_edges(spans: Spans, moment: float, events: Events | None = None) -> list[TraceEdge]:
    """All edges, the worst first, ties by name. An edge to oneself is work inside one service.

    `events`: what was logged in the spans, by row.
    """
    if len(spans) == 0:
        return []
    late = spans.start >= moment - LAG_SECONDS
    found = [*_calls(spans, late), *broken_flows(spans, late), *changed_events(spans, events or {}, late)]
    return sorted(found, key=lambda edge: (-edge.score, edge.caller, edge.callee, edge.operation, edge.what))


def _calls(spans: Spans, late: Mask) -> Iterator[TraceEdge]:
    """One edge for each caller, callee and operation that crosses from one entity to another, and for each root."""
    entry = spans.crosses | (spans.parent < 0)
    rows = np.flatnonzero(entry)
    above = spans.parent[rows]
    caller = np.where(above >= 0, spans.entity[np.where(above >= 0, above, 0)], -1)
    keys = np.stack([caller, spans.entity[rows], spans.operation[rows]], axis=1)
    distinct, number = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(number.ravel(), kind="stable")
    for key, members in zip(distinct, np.split(rows[order], np.cumsum(np.bincount(number.ravel()))[:-1]), strict=True):
        names = (spans.entities[key[0]] if key[0] >= 0 else "", spans.entities[key[1]], spans.operations[key[2]])
        yield _edge(spans, members, late[members], names)


def _edge(spans: Spans, rows: NDArray[np.int64], late: Mask, names: tuple[str, str, str]) -> TraceEdge:
    took, own, gap = (_sides(values[rows], late) for values in (spans.duration, spans.own_time, spans.gap))
    broke = spans.failed[rows]
    edge = TraceEdge(
        *names, calls_before=int(np.count_nonzero(~late)), calls_after=int(np.count_nonzero(late)),
        p50_before_ms=_p(took.before, 50), p50_after_ms=_p(took.after, 50),
        p95_before_ms=_p(took.before, 95), p95_after_ms=_p(took.after, 95),
        self_before_ms=_p(own.before, 50), self_after_ms=_p(own.after, 50),
        gap_before_ms=_p(gap.before, 50), gap_after_ms=_p(gap.after, 50),
        errors_before=int(np.count_nonzero(broke & ~late)), errors_after=int(np.count_nonzero(broke & late)),
        score=0.0, what="ok",
    )  # fmt: skip
    what, score = _judge(edge, took, gap)
    return replace(edge, what=what, score=round(score, 2))


def _judge(edge: TraceEdge, took: _Sides, gap: _Sides) -> tuple[str, float]:
    failing = more_often(edge.errors_before, edge.calls_before, edge.errors_after, edge.calls_after)
    if failing >= FAILING:
        return "failing", failing
    delay = gap.score()
    if delay >= SLOW and _felt(edge.gap_before_ms, edge.gap_after_ms):
        return "network_delay", delay
    slow = took.score()
    if slow >= SLOW and _felt(edge.p50_before_ms, edge.p50_after_ms):
        return "slow", slow
    return "ok", max(failing, slow, 0.0) if took.enough else 0.0


def _felt(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return False
    return after - before >= max(FELT_MS, FELT_SHARE * before)
