"""How sure a hypothesis is: what must make it surer, and what less sure."""

from dataclasses import replace

import pytest

from analysis.confidence import BAR, Features, confidence

NOTHING = Features(**dict.fromkeys(Features.__dataclass_fields__, 0.0))
PLAIN = replace(NOTHING, evidence=0.9, margin=1.0, known=1.0, alert=1.0, explains=0.5)  # a clear case


@pytest.mark.parametrize("name", ["evidence", "margin", "known", "explains"])
def test_what_speaks_for_a_hypothesis_makes_it_surer(name: str) -> None:
    assert confidence(PLAIN) > confidence(replace(PLAIN, **{name: 0.0}))


def test_what_contradicts_makes_it_less_sure() -> None:
    assert confidence(replace(PLAIN, against=1.0)) < confidence(PLAIN)


def test_a_clear_case_is_told_and_one_of_which_next_to_nothing_is_known_is_not() -> None:
    assert confidence(PLAIN) > 0.8
    assert confidence(NOTHING) < BAR


def test_a_close_second_is_never_a_sure_case() -> None:
    assert confidence(replace(PLAIN, margin=0.0)) < 0.7
