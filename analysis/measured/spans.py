"""Spans as columns, and what each span says: its own time, the network before it, whether it failed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.measured.series import Floats

Ints = NDArray[np.int64]
FAILED: Final = frozenset({"error", "failed", "failure", "status_code_error", "2", "unavailable", "internal"})


@dataclass(frozen=True)
class SpanRow:
    """One span as a source gives it."""

    trace: str
    span: str
    parent: str  # "" for a root
    entity: str
    operation: str
    start: float  # epoch seconds
    duration_ms: float
    status: str = ""


def failed(status: str) -> bool:
    """Whether a span's status means failure: OpenTelemetry, gRPC and HTTP words. Unset is no failure."""
    text = status.strip().lower()
    return text in FAILED or (len(text) == 3 and text.isdigit() and text[0] == "5")


@dataclass(frozen=True, eq=False)
class Spans:
    """All spans of a source; every array has one item per span."""

    entities: tuple[str, ...]  # names that `entity` points into
    operations: tuple[str, ...]
    entity: Ints
    operation: Ints
    parent: Ints  # row of the parent; -1: a root, or the parent was not recorded
    start: Floats
    duration: Floats  # milliseconds
    failed: NDArray[np.bool_]
    orphan: NDArray[np.bool_]  # names a parent that was not recorded
    problems: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def children(self) -> Ints:
        """How many children each span has."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self)).astype(np.int64)

    @cached_property
    def own_time(self) -> Floats:
        """Milliseconds not spent in children; children side by side count once at most, so never below zero."""
        known = self.parent >= 0
        inside = np.bincount(self.parent[known], weights=self.duration[known], minlength=len(self))
        return np.maximum(self.duration - inside, 0.0)

    @cached_property
    def crosses(self) -> NDArray[np.bool_]:
        """Whether the span is the entry of a call from another entity."""
        known = self.parent >= 0
        changes: NDArray[np.bool_] = self.entity[np.where(known, self.parent, 0)] != self.entity
        return known & changes

    @cached_property
    def gap(self) -> Floats:
        """Client time minus server time, milliseconds: the network between, both ways. NaN where it cannot be told.

        A client span is one whose only child runs in another entity; a handler that calls several has work of its own.
        """
        paired = self.crosses & (self.children[np.where(self.parent >= 0, self.parent, 0)] == 1)
        between = self.duration[np.where(paired, self.parent, 0)] - self.duration
        return np.where(paired, np.maximum(between, 0.0), np.nan)


def in_order(rows: Sequence[SpanRow]) -> list[SpanRow]:
    """The rows in order of time, as columns hold them."""
    return sorted(rows, key=lambda row: (row.start, row.trace, row.span))


def columns(rows: Sequence[SpanRow], problems: tuple[str, ...] = ()) -> Spans:
    """The rows as columns, in order of time. Of spans with one id the last counts as parent."""
    rows = in_order(rows)
    entities, entity = _names([row.entity for row in rows])
    operations, operation = _names([row.operation for row in rows])
    at = {(row.trace, row.span): number for number, row in enumerate(rows)}
    parent = [at.get((row.trace, row.parent), -1) if row.parent else -1 for row in rows]
    return Spans(
        entities, operations, entity, operation, np.array(parent, dtype=np.int64),
        np.array([row.start for row in rows], dtype=float), np.array([row.duration_ms for row in rows], dtype=float),
        np.array([failed(row.status) for row in rows], dtype=bool),
        np.array([bool(row.parent) and up < 0 for row, up in zip(rows, parent, strict=True)], dtype=bool), problems,
    )  # fmt: skip


def _names(values: list[str]) -> tuple[tuple[str, ...], Ints]:
    names = tuple(sorted(set(values)))
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.array([numbers[value] for value in values], dtype=np.int64)
