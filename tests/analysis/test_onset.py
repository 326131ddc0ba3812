"""When a series left its usual range."""

import numpy as np

from analysis.measured.onset import onset

TIMES = np.arange(0.0, 100.0, 10.0)


def test_the_onset_is_the_first_sample_that_lies_outside_and_stays_there() -> None:
    values = np.array([1, 1, 1, 1, 9, 9, 9, 9, 9, 9], dtype=float)
    assert onset(TIMES, values, usual=1.0, scale=0.5, since=0.0) == 40.0


def test_a_blip_that_goes_away_is_no_onset() -> None:
    values = np.array([1, 1, 9, 1, 1, 1, 1, 9, 9, 9], dtype=float)
    assert onset(TIMES, values, usual=1.0, scale=0.5, since=0.0) == 70.0


def test_a_fall_has_an_onset_too() -> None:
    values = np.array([9, 9, 9, 9, 9, 1, 1, 1, 1, 1], dtype=float)
    assert onset(TIMES, values, usual=9.0, scale=0.5, since=0.0) == 50.0


def test_nothing_before_since_is_looked_at_and_a_usual_series_has_none() -> None:
    values = np.array([9, 9, 9, 1, 1, 1, 1, 1, 1, 1], dtype=float)
    assert onset(TIMES, values, usual=1.0, scale=0.5, since=30.0) is None
