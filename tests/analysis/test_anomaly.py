"""The change score: what counts as a change at the alert, and what does not."""

import numpy as np
import pytest

from analysis.measured.anomaly import change
from analysis.measured.series import Floats

MOMENT = 100_000.0
STEP = 60.0


def noisy(values: list[float], seed: int = 1) -> Floats:
    """The values with one percent of noise."""
    return np.array(values) * np.random.default_rng(seed).normal(1.0, 0.01, len(values))


def minutes(count: int, after: int = 5) -> Floats:
    """`count` stamps a minute apart, the last `after` of them since two minutes before the moment."""
    return MOMENT - 120 + STEP * (np.arange(count) - (count - after))


def test_a_jump_at_the_alert_scores_in_its_direction() -> None:
    up = change(minutes(65), noisy([10.0] * 60 + [30.0] * 5), MOMENT)
    down = change(minutes(65), noisy([10.0] * 60 + [3.0] * 5), MOMENT)
    assert up is not None and up.score > 50
    assert down is not None and down.score < -20
    assert up.before == pytest.approx(10, rel=0.05) and up.after == pytest.approx(30, rel=0.05)


def test_what_was_already_odd_before_the_alert_scores_nothing() -> None:
    odd_for_half_an_hour = change(minutes(65), noisy([10.0] * 30 + [30.0] * 35), MOMENT)
    assert odd_for_half_an_hour is not None and abs(odd_for_half_an_hour.score) < 4


def test_what_differs_from_just_before_but_is_usual_over_the_day_scores_nothing() -> None:
    day = [10.0, 30.0] * 25 + [10.0] * 10 + [30.0] * 5
    found = change(minutes(65), noisy(day), MOMENT)
    assert found is not None and abs(found.score) < 4


def daily(days: int, tonight: float, peak: float = 30.0) -> tuple[Floats, Floats]:
    """A sample every five minutes, ten minutes' peak a day at the moment's time, of which the last is so high."""
    times = MOMENT - 120 + 300.0 * np.arange(-288 * days, 3)
    at_peak = (times - MOMENT + 120) % 86_400 <= 600
    values = noisy(np.where(at_peak, peak, 10.0).tolist())
    return times, np.where(times >= MOMENT - 120, values / peak * tonight, values)


@pytest.mark.parametrize(("days", "tonight", "odd"), [(4, 30.0, False), (4, 90.0, True), (2, 30.0, True)])
def test_what_happens_at_this_time_every_day_scores_nothing_unless_it_is_more_than_then(
    days: int, tonight: float, odd: bool
) -> None:
    found = change(*daily(days, tonight), MOMENT)
    assert found is not None and (abs(found.score) > 50) == odd and (odd or abs(found.score) < 4)


def test_a_quiet_series_is_floored_at_one_percent_of_its_median() -> None:
    found = change(minutes(65), np.array([100.0] * 60 + [101.0] * 5), MOMENT)
    assert found is not None and found.score == pytest.approx(1.0)


def test_anything_from_nothing_has_an_upper_end() -> None:
    found = change(minutes(65), np.array([0.0] * 60 + [1e9] * 5), MOMENT)
    assert found is not None and found.score == pytest.approx(20.0)


def test_a_constant_series_does_not_change() -> None:
    found = change(minutes(65), np.full(65, 7.0), MOMENT)
    assert found is not None and found.score == 0.0


def test_excursions_that_history_has_shown_before_are_no_news() -> None:
    spiky = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 5.0] * 7 + [1.0] * 4 + [5.0] * 5
    calm = [1.0] * 60 + [5.0] * 5
    seen_before, new = (change(minutes(65), noisy(values), MOMENT) for values in (spiky, calm))
    assert seen_before is not None and new is not None
    assert seen_before.score < 4 < new.score


def test_too_little_on_either_side_gives_no_score() -> None:
    assert change(minutes(5), np.ones(5), MOMENT) is None
    assert change(MOMENT - 7200 + STEP * np.arange(30), np.ones(30), MOMENT) is None
    assert change(np.array([]), np.array([]), MOMENT) is None


def test_a_gap_right_before_the_alert_falls_back_to_the_last_samples() -> None:
    times = np.concatenate([MOMENT - 7200 + STEP * np.arange(60), MOMENT + STEP * np.arange(3)])
    found = change(times, noisy([10.0] * 60 + [30.0] * 3), MOMENT)
    assert found is not None and found.score > 50


def test_a_recording_shorter_than_the_longest_lag_shows_what_changed_within_it() -> None:
    times = MOMENT - 90.0 + 5.0 * np.arange(20)
    found = change(times, noisy([60.0] * 10 + [4000.0] * 10), MOMENT)
    assert found is not None and found.score > 20
