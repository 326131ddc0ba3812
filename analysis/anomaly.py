"""How much a series changed at a moment: a robust score against the minutes just before *and* against long history."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.series import Floats, step_seconds

SIGMA: Final = 1.4826  # median absolute deviation to standard deviation, for normal noise
FLOOR: Final = 0.01  # of the median: below this a quiet series makes a big score of a change that nobody would feel
FLOOR_OF_SHARE: Final = 0.001  # of a share of successes near one: failures count, one in a thousand is felt
FLOOR_FROM_ZERO: Final = 0.05  # of the largest value, where the median is 0: anything from nothing scores at most 20
LAG_SECONDS: Final = 120.0  # an alert waits before it fires (`for:`, evaluation, scrape): the change lies earlier
LOCAL_SECONDS: Final = 600.0  # "the minutes just before"
LOCAL_STEPS: Final = 3  # and at least so many samples, for sources that sample every few minutes
ENOUGH_BEFORE: Final = 3
ENOUGH_FOR_TAIL: Final = 20  # one in twenty needs twenty
TAIL_SIGMAS: Final = 1.645  # how far out the 95th percentile of normal noise lies
ENOUGH_FOR_SCALE: Final = 8  # the spread of fewer samples says nothing


@dataclass(frozen=True)
class Change:
    """What happened to a series at a moment."""

    score: float  # signed, in floored robust sigmas; 0 where both baselines do not agree
    before: float  # median of the minutes just before
    after: float  # median since
    scale: float


@dataclass(frozen=True)
class _Split:
    long: Floats  # all before
    local: Floats  # just before
    after: Floats


def _scale(values: Floats) -> float:
    return SIGMA * float(np.median(np.abs(values - np.median(values))))


def split_points(times: Floats, moment: float) -> tuple[float, ...]:
    """Where "before" may end: at the moment, or earlier by the alert's lag and by one sample at least."""
    return moment - 1e-6, moment - max(LAG_SECONDS, step_seconds(times) or 0.0) - 1e-6


def _split(times: Floats, values: Floats, cut: float) -> _Split:
    reach = max(LOCAL_SECONDS, LOCAL_STEPS * (step_seconds(times) or 0.0))
    before, at = values[times < cut], times[times < cut]
    local = before[at >= cut - reach]
    return _Split(before, local if len(local) else before[-LOCAL_STEPS:], values[times >= cut])


def _tail(values: Floats, side: float) -> float:
    """The spread that excursions to one side have shown, as a sigma; 0 where history is too short to have shown any.

    A percentile of few requests jumps now and then. What it did before is no news, which the median deviation forgets.
    """
    if len(values) < ENOUGH_FOR_TAIL:
        return 0.0
    return float(abs(np.percentile(values, 50 + side * 45) - np.median(values))) / TAIL_SIGMAS


def _floored(split: _Split, floor: float, side: float) -> float:
    scale = max(_scale(split.long), _tail(split.long, side))
    if len(split.local) >= ENOUGH_FOR_SCALE:
        scale = max(scale, _scale(split.local))
    middle = abs(float(np.median(split.long)))
    largest = max(float(np.max(np.abs(split.long))), float(np.max(np.abs(split.after))))
    return max(scale, floor * middle if middle > 0 else FLOOR_FROM_ZERO * largest, 1e-12)


def change(times: Floats, values: Floats, moment: float, floor: float = FLOOR) -> Change | None:
    """How the series changed at the moment; None where there is too little on either side.

    What was already odd before the alert did not cause it, and what only differs from five minutes ago but is usual
    over the day did not either: the smaller of the two deviations counts, and only if both point the same way.
    Whether the change or the alert came first is not known, so both are tried.
    """
    splits = [_split(times, values, cut) for cut in split_points(times, moment)]
    found = [_change(split, floor) for split in splits if len(split.after) and len(split.long) >= ENOUGH_BEFORE]
    return max(found, key=lambda one: abs(one.score), default=None)


def _change(split: _Split, floor: float) -> Change:
    after = float(np.median(split.after))
    scale = _floored(split, floor, 1.0 if after >= float(np.median(split.long)) else -1.0)
    deviations = [(after - float(np.median(base))) / scale for base in (split.long, split.local)]
    agree = deviations[0] * deviations[1] > 0
    return Change(min(deviations, key=abs) if agree else 0.0, float(np.median(split.local)), after, scale)
