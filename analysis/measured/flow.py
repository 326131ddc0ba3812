"""Operations that end early: child calls that used to follow an operation and no longer do.

A wrong answer or an exception hardly changes a latency. It shows in what no longer happens: the caller stops after the
call that failed it, so the last call it still makes is the one to look at; where it makes none, it failed itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.measured.spans import Spans
from analysis.measured.trace_counts import more_often
from domain.results import TraceEdge

Mask = NDArray[np.bool_]
Key = tuple[int, int, int]  # entity, operation, entity that a client span calls (-1: none)
ENOUGH: Final = 5  # operations on either side
USUAL: Final = 0.5  # share of operations that the child call followed before: rarer calls depend on the request
BROKEN: Final = 3.0  # standard errors


@dataclass
class _Operation:
    """All runs of one operation: for each run, its children in order of time."""

    before: list[list[Key]]
    after: list[list[Key]]


def broken_flows(spans: Spans, late: Mask) -> Iterator[TraceEdge]:
    """One edge for each operation that ends early: caller = whose operation, callee = whom it still called last."""
    operations = _operations(spans, late)
    for key in sorted(operations):
        found = _broken(operations[key])
        if found is not None:
            score, runs, last = found
            yield _edge(spans, key, operations[key], (score, runs, last))


def _keys(spans: Spans) -> list[Key]:
    target = np.full(len(spans), -1, dtype=np.int64)
    crossing = np.flatnonzero(spans.crosses)
    target[spans.parent[crossing]] = spans.entity[crossing]
    direct = spans.children > 1  # calls several: it is a handler, not a client span
    target[direct] = -1
    return list(zip(spans.entity.tolist(), spans.operation.tolist(), target.tolist(), strict=True))


def _operations(spans: Spans, late: Mask) -> dict[tuple[int, int], _Operation]:
    keys = _keys(spans)
    children: dict[int, list[Key]] = defaultdict(list)
    for row, parent in enumerate(spans.parent.tolist()):  # rows are in order of time
        if parent >= 0:
            children[parent].append(keys[row])
    usual = {key[:2] for row, key in enumerate(keys) if row in children}
    found: dict[tuple[int, int], _Operation] = defaultdict(lambda: _Operation([], []))
    for row, (key, after) in enumerate(zip(keys, late.tolist(), strict=True)):
        if key[:2] in usual:
            runs = found[key[:2]]
            (runs.after if after else runs.before).append(children.get(row, []))
    return found


def _broken(of: _Operation) -> tuple[float, list[list[Key]], Key | None] | None:
    """The score, the runs that ended early, and the child that most of these ended with."""
    if len(of.before) < ENOUGH or len(of.after) < ENOUGH:
        return None
    counts = [Counter(key for run in runs for key in set(run)) for runs in (of.before, of.after)]
    drops = {
        key: -more_often(count, len(of.before), counts[1][key], len(of.after))
        for key, count in counts[0].items()
        if count >= USUAL * len(of.before)
    }
    missing = {key for key, drop in drops.items() if drop >= BROKEN}
    if not missing:
        return None
    short = [run for run in of.after if missing - set(run)]
    ends = Counter(run[-1] if run else None for run in short)
    last = min(ends, key=lambda key: (-ends[key], key or (-1, -1, -1)))
    return max(drops[key] for key in missing), short, last


def _edge(
    spans: Spans, key: tuple[int, int], of: _Operation, found: tuple[float, list[list[Key]], Key | None]
) -> TraceEdge:
    score, short, last = found
    whom = key[0] if last is None else (last[2] if last[2] >= 0 else last[0])
    return TraceEdge(
        spans.entities[key[0]], spans.entities[whom], spans.operations[key[1]], len(of.before), len(of.after),
        None, None, None, None, None, None, None, None, 0, len(short), round(score, 2), "missing_calls",
    )  # fmt: skip
