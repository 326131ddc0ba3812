"""A series in a few numbers: what the metric tools return."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from analysis.anomaly import FLOOR, FLOOR_OF_SHARE, LOCAL_SECONDS, Change, change
from analysis.onset import onset
from analysis.series import Samples, as_rate, bad_direction, is_counter, kind, step_seconds
from domain.results import SeriesSummary

FLAT: Final = 3.0  # sigmas: below it a change is called flat


def _direction(score: float) -> str:
    return "flat" if abs(score) < FLAT else ("up" if score > 0 else "down")


def _onset(samples: Samples, found: Change, moment: float) -> datetime | None:
    if abs(found.score) < FLAT:
        return None
    began = onset(samples.times, samples.values, found.before, found.scale, moment - LOCAL_SECONDS)
    return datetime.fromtimestamp(began, UTC) if began is not None else None


def summarise(samples: Samples, moment: float) -> SeriesSummary | None:
    """The summary of one series around a moment; None when it is empty. A counter is read as its rate per second."""
    series = as_rate(samples) if is_counter(samples.metric, samples.values) else samples
    if len(series.values) == 0:
        return None
    plain, found = _plain(samples, series), _change(series, moment)
    if found is None:
        return plain
    return replace(
        plain, median_before=_short(found.before), median_after=_short(found.after), score=round(found.score, 2),
        direction=_direction(found.score), onset=_onset(series, found, moment),
    )  # fmt: skip


def _change(series: Samples, moment: float) -> Change | None:
    of_share = kind(series.metric) == "error" and bad_direction(series.metric) < 0
    return change(series.times, series.values, moment, FLOOR_OF_SHARE if of_share else FLOOR)


def _plain(of: Samples, series: Samples) -> SeriesSummary:
    values = series.values
    low, mean, high, last = (_short(float(value)) for value in (values.min(), values.mean(), values.max(), values[-1]))
    return SeriesSummary(
        of.entity, of.metric, len(values), low, mean, high, last, direction="flat", kind=kind(of.metric),
        source=of.source, step_seconds=step_seconds(series.times),
    )  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.6g}")  # what a person reads; more digits are noise


def most_anomalous(series: Iterable[Samples], moment: float) -> list[SeriesSummary]:
    """Summaries of all that have one, the largest score first, ties by name."""
    found = [summary for samples in series if (summary := summarise(samples, moment))]
    return sorted(found, key=lambda one: (-abs(one.score), one.entity, one.metric))
