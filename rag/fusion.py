"""Fuse rankings by rank: scores of different searches cannot be compared, places can."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Hashable)
K: Final = 20  # how fast a place loses value; the usual 60 suits long lists, there are tens of runbooks


def fuse(rankings: Sequence[Sequence[T]], weights: Sequence[float] = ()) -> dict[T, float]:
    """Each item's sum of weight / (K + place) over the rankings, best first; ties in order of first appearance."""
    scores: dict[T, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for place, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (K + place)
    return ordered(scores)


def ordered(scores: Mapping[T, float]) -> dict[T, float]:
    """The same, best first; ties keep their order."""
    return dict(sorted(scores.items(), key=lambda each: -each[1]))
