"""Series in a few numbers."""

import numpy as np

from analysis.measured.series import Samples
from analysis.measured.summaries import most_anomalous

MOMENT = 10_000.0
TIMES = np.arange(5_000.0, 10_300.0, 60.0)


def series(name: str, usual: float, since: float, times: np.ndarray = TIMES) -> Samples:
    return Samples(name, "latency_avg", times, np.where(times < MOMENT - 60, usual, since))


def test_series_of_one_source_are_scored_as_each_would_be_alone() -> None:
    several = [series("a", 1, 9), series("b", 5, 5), series("c", 2, 3, TIMES + 7), series("d", 4, 1)]
    together = {one.entity: one for one in most_anomalous(several, MOMENT)}
    assert {name: one.score for name, one in together.items()} == {
        one.entity: most_anomalous([one], MOMENT)[0].score for one in several
    }


def test_the_largest_change_comes_first_and_top_cuts_the_rest() -> None:
    several = [series("b", 5, 5), series("a", 1, 9), series("d", 4, 1)]
    assert [one.entity for one in most_anomalous(several, MOMENT, 2)] == ["a", "d"]


def test_an_empty_series_has_no_summary_and_a_short_one_no_score() -> None:
    empty = Samples("a", "rps", np.array([]), np.array([]))
    assert most_anomalous([empty], MOMENT) == []
    (short,) = most_anomalous([Samples("a", "rps", np.array([MOMENT]), np.array([3.0]))], MOMENT)
    assert (short.last, short.score, short.median_before) == (3.0, 0.0, None)
