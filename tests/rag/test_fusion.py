"""Rank fusion, for any rankings."""

from hypothesis import given
from hypothesis import strategies as st

from rag.fusion import fuse

rankings = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=4)


@given(rankings)
def test_everything_that_was_found_comes_back_once_best_first(lists):
    fused = fuse(lists)
    assert set(fused) == {item for ranking in lists for item in ranking}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)


@given(rankings)
def test_what_every_ranking_puts_before_another_stays_before_it(lists):
    fused = list(fuse(lists))
    for first in fused:
        for second in fused:
            before = [first in r and (second not in r or r.index(first) < r.index(second)) for r in lists]
            if all(before):
                assert fused.index(first) < fused.index(second)


@given(rankings)
def test_one_ranking_alone_keeps_its_order(lists):
    assert list(fuse(lists[:1])) == lists[0]


def test_a_weight_counts():
    assert list(fuse([["a", "b"], ["b", "a"]], [1.0, 2.0])) == ["b", "a"]
