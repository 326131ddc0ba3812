"""How much series changed at a moment: a robust score against the minutes just before *and* against long history, and
where that reaches over days, against the same time of the days before as well.

Series with the same stamps are scored together, one row each: a source of twenty thousand takes seconds, not minutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.measured.series import Floats, step_seconds

SIGMA: Final = 1.4826  # median absolute deviation to standard deviation, for normal noise
FLOOR: Final = 0.01  # of the median: below this a quiet series makes a big score of a change that nobody would feel
FLOOR_OF_SHARE: Final = 0.001  # of a share of successes near one: failures count, one in a thousand is felt
FLOOR_FROM_ZERO: Final = 0.05  # of the largest value, where the median is 0: anything from nothing scores at most 20
LAG_SECONDS: Final = 120.0  # an alert waits before it fires (`for:`, evaluation, scrape): so much earlier at most
LOCAL_SECONDS: Final = 600.0  # "the minutes just before"
LOCAL_STEPS: Final = 3  # and at least so many samples, for sources that sample every few minutes
ENOUGH_BEFORE: Final = 3
ENOUGH_FOR_TAIL: Final = 20  # one in twenty needs twenty
TAIL_SIGMAS: Final = 1.645  # how far out the 95th percentile of normal noise lies
ENOUGH_FOR_SCALE: Final = 8  # the spread of fewer samples says nothing
DAY: Final = 86_400.0  # seconds; what people and cron do repeats with it
ENOUGH_DAYS: Final = 3  # then one of them may have had the same incident, and their median has not


@dataclass(frozen=True)
class Change:
    """What happened to a series at a moment."""

    score: float  # signed, in floored robust sigmas; 0 where both baselines do not agree
    before: float  # median of the minutes just before
    after: float  # median since
    scale: float


@dataclass(frozen=True)
class _Split:
    """Rows of several series, cut at one time."""

    long: Floats  # all before
    local: Floats  # just before
    after: Floats
    days: tuple[Floats, ...] = ()  # the same time of earlier days, where there are enough of them


def median(rows: Floats) -> Floats:
    """The median of each row."""
    return quantile(rows, 0.5)


def quantile(rows: Floats, share: float) -> Floats:
    """The value of each row below which `share` of it lies; many times faster than numpy's on short rows."""
    ordered = np.sort(rows, axis=-1)
    place = share * (ordered.shape[-1] - 1)
    low = int(place)
    high = min(low + 1, ordered.shape[-1] - 1)
    between: Floats = ordered[..., low] + (place - low) * (ordered[..., high] - ordered[..., low])
    return between


def change(times: Floats, values: Floats, moment: float, floor: float = FLOOR) -> Change | None:
    """How one series changed at the moment; None where there is too little on either side."""
    return changes(times, values[np.newaxis, :], moment, [floor])[0]


def changes(times: Floats, rows: Floats, moment: float, floors: Sequence[float]) -> list[Change | None]:
    """How each row changed at the moment; None where there is too little on either side.

    What was already odd before the alert did not cause it, and what only differs from five minutes ago but is usual
    over the day, or at this time of the day, did not either: the smallest of the deviations counts, and only if all
    point the same way.
    Whether the change or the alert came first is not known, so both are tried.
    """
    splits = (_split(times, rows, cut) for cut in _cuts(times, moment))  # one at a time: each copies all the rows
    usable = (split for split in splits if split.after.shape[1] and split.long.shape[1] >= ENOUGH_BEFORE)
    found = [_changes(split, np.array(floors)) for split in usable]
    if not found:
        return [None] * len(rows)
    return [max(tried, key=lambda one: abs(one.score)) for tried in zip(*found, strict=True)]


def _cuts(times: Floats, moment: float) -> tuple[float, ...]:
    """Where "before" may end: at the moment, or earlier by the alert's lag or half of it, one sample at least."""
    step = step_seconds(times) or 0.0
    lags = {max(lag, step) for lag in (LAG_SECONDS / 2, LAG_SECONDS)}
    return moment - 1e-6, *(moment - lag - 1e-6 for lag in sorted(lags))


def _split(times: Floats, rows: Floats, cut: float) -> _Split:
    reach = max(LOCAL_SECONDS, LOCAL_STEPS * (step_seconds(times) or 0.0))
    early = times < cut
    near = early & (times >= cut - reach)
    local = rows[:, near] if near.any() else rows[:, early][:, -LOCAL_STEPS:]
    return _Split(rows[:, early], local, rows[:, ~early], _days(times, rows, cut))


def _days(times: Floats, rows: Floats, cut: float) -> tuple[Floats, ...]:
    """The samples of each day before at the time since the cut, with a lag's slack: nothing starts to the second."""
    ago = range(1, int((cut - times[0]) / DAY) + 1) if len(times) else ()
    spans = ((cut - each * DAY - LAG_SECONDS, times[-1] - each * DAY + LAG_SECONDS) for each in ago)
    masks = [(times >= start) & (times <= end) & (times < cut) for start, end in spans]
    found = tuple(rows[:, mask] for mask in masks if mask.sum() >= ENOUGH_BEFORE)
    return found if len(found) >= ENOUGH_DAYS else ()


def _changes(split: _Split, floors: Floats) -> list[Change]:
    usual, local, after = median(split.long), median(split.local), median(split.after)
    scale = _floored(split, floors, usual, after >= usual)
    found = [(after - usual) / scale, (after - local) / scale]
    if split.days:
        usually = median(np.stack([median(day) for day in split.days], axis=1))
        spread = np.max([_scale(day) for day in split.days], axis=0)
        found.append((after - usually) / np.maximum(np.maximum(scale, spread), floors * np.abs(usually)))
    deviations = np.array(found)
    agree = np.all(deviations > 0, axis=0) | np.all(deviations < 0, axis=0)
    smallest = np.abs(deviations).min(axis=0) * np.sign(deviations[0])
    scores = np.where(agree, smallest, 0.0)
    return [Change(*each) for each in zip(*(column.tolist() for column in (scores, local, after, scale)), strict=True)]


def _floored(split: _Split, floors: Floats, usual: Floats, rises: NDArray[np.bool_]) -> Floats:
    scale = np.maximum(_scale(split.long), _tail(split.long, usual, rises))
    if split.local.shape[1] >= ENOUGH_FOR_SCALE:
        scale = np.maximum(scale, _scale(split.local))
    largest = np.maximum(np.abs(split.long).max(axis=1), np.abs(split.after).max(axis=1))
    floor = np.where(usual != 0, floors * np.abs(usual), FLOOR_FROM_ZERO * largest)
    return np.maximum(np.maximum(scale, floor), 1e-12)


def _scale(rows: Floats) -> Floats:
    return SIGMA * median(np.abs(rows - median(rows)[:, np.newaxis]))


def _tail(rows: Floats, usual: Floats, rises: NDArray[np.bool_]) -> Floats:
    """The spread that excursions to the side in question have shown, as a sigma; 0 for too short a history.

    A percentile of few requests jumps now and then. What it did before is no news, which the median deviation forgets.
    """
    if rows.shape[1] < ENOUGH_FOR_TAIL:
        return np.zeros(len(rows))
    edge = np.where(rises, quantile(rows, 0.95), quantile(rows, 0.05))
    return np.abs(edge - usual) / TAIL_SIGMAS
