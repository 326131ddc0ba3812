"""Series in a few numbers: what the metric tools return."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import numpy as np

from analysis.measured.anomaly import FLOOR, FLOOR_OF_SHARE, LOCAL_SECONDS, Change, changes
from analysis.measured.onset import onset
from analysis.measured.series import Samples, as_rate, bad_direction, is_counter, kind, step_seconds
from domain.results import SeriesSummary

FLAT: Final = 3.0  # sigmas: below it a change is called flat


def most_anomalous(series: Sequence[Samples], moment: float, top: int | None = None) -> list[SeriesSummary]:
    """Summaries of those that changed most around the moment, ties by name. Empty series have none.

    A counter is read as its rate per second.
    """
    read = [_readable(samples) for samples in series if len(samples.values)]
    found = _changes(read, moment)
    order = sorted(range(len(read)), key=lambda at: (-_size(found[at]), read[at].entity, read[at].metric))
    return [_summary(read[at], found[at], moment) for at in order[:top]]


def _readable(samples: Samples) -> Samples:
    return as_rate(samples) if is_counter(samples.metric, samples.values) else samples


def _size(found: Change | None) -> float:
    return round(abs(found.score), 2) if found else 0.0


def _changes(series: Sequence[Samples], moment: float) -> list[Change | None]:
    """The change of each; those with the same stamps are scored at once."""
    alike: dict[bytes, list[int]] = defaultdict(list)
    for at, one in enumerate(series):
        alike[one.times.tobytes()].append(at)
    found: list[Change | None] = [None] * len(series)
    for places in alike.values():
        rows = np.stack([series[at].values for at in places])
        floors = [_floor(series[at].metric) for at in places]
        for at, change in zip(places, changes(series[places[0]].times, rows, moment, floors), strict=True):
            found[at] = change
    return found


def _floor(metric: str) -> float:
    of_share = kind(metric) == "error" and bad_direction(metric) < 0
    return FLOOR_OF_SHARE if of_share else FLOOR


def _summary(of: Samples, found: Change | None, moment: float) -> SeriesSummary:
    values = of.values
    low, mean, high, last = (_short(float(value)) for value in (values.min(), values.mean(), values.max(), values[-1]))
    plain = SeriesSummary(
        of.entity, of.metric, len(values), low, mean, high, last, direction="flat", kind=kind(of.metric),
        source=of.source, step_seconds=step_seconds(of.times),
    )  # fmt: skip
    if found is None:
        return plain
    return replace(
        plain, median_before=_short(found.before), median_after=_short(found.after), score=round(found.score, 2),
        direction=_direction(found.score), onset=_onset(of, found, moment),
    )  # fmt: skip


def _direction(score: float) -> str:
    return "flat" if abs(score) < FLAT else ("up" if score > 0 else "down")


def _onset(samples: Samples, found: Change, moment: float) -> datetime | None:
    if abs(found.score) < FLAT:
        return None
    began = onset(samples.times, samples.values, found.before, found.scale, moment - LOCAL_SECONDS)
    return datetime.fromtimestamp(began, UTC) if began is not None else None


def _short(value: float) -> float:
    return float(f"{value:.6g}")  # what a person reads; more digits are noise
