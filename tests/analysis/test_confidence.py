"""How sure a hypothesis is: what must make it surer, and what less sure."""

from dataclasses import replace

import pytest

from analysis.confidence import BAR, Features, confidence, features
from domain.runbook import Runbook
from tests.analysis.test_hypotheses import OOM, case, finding, ranked

NOTHING = Features(**dict.fromkeys(Features.__dataclass_fields__, 0.0))
PLAIN = replace(NOTHING, evidence=0.9, known=1.0, first=1.0)  # a clear case
BEST = finding("container:web", "memory.oom_kill", signature="memory-oom-kill/exit")


@pytest.mark.parametrize("name", ["evidence", "known", "first"])
def test_what_speaks_for_a_hypothesis_makes_it_surer(name: str) -> None:
    assert confidence(PLAIN) > confidence(replace(PLAIN, **{name: 0.0}))


@pytest.mark.parametrize("name", ["against", "rest"])
def test_what_contradicts_or_is_left_makes_it_less_sure(name: str) -> None:
    assert confidence(replace(PLAIN, **{name: 1.0})) < confidence(PLAIN)


def test_a_clear_case_is_told_and_one_of_which_next_to_nothing_is_known_is_not() -> None:
    assert confidence(PLAIN) > 0.7
    assert confidence(NOTHING) < BAR


def test_proofs_of_something_else_make_it_no_sure_case() -> None:
    alone, both = (
        ranked(case(BEST, *more))
        for more in ((), (finding("container:db", "disk.full"), finding("host:a", "time.clock_skew")))
    )
    assert features(case(BEST), alone).rest == 0.0
    sure, unsure = (confidence(features(case(BEST), each)) for each in (alone, both))
    assert unsure < 0.7 < sure


def test_what_follows_from_it_is_not_left() -> None:
    symptom = finding("container:web", "proxy.upstream_down", 0.8, minutes=-1)
    assert features(case(BEST), ranked(case(replace(BEST, onset=None), symptom))).rest == 0.0


def test_a_fault_that_many_others_lead_to_is_less_sure_to_be_the_first() -> None:
    def of(leading: int) -> float:
        others = (Runbook(f"other-{n}", "", f"other.{n}", "host", "", explains=("memory.*",) * (n < leading))
                  for n in range(99))  # fmt: skip
        known = replace(case(BEST), knowledge=(OOM, *others))
        return features(known, ranked(known)).first

    assert of(0) == 1.0 and of(5) == 0.5 and of(20) == 0.2


def test_what_was_measured_needs_no_runbook() -> None:
    suspect = replace(BEST, signature="", captures={"strength": "2.0"})
    assert [features(case(one), ranked(case(one))).measured for one in (BEST, suspect)] == [0.0, 1.0]
