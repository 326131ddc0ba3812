"""How far a hypothesis reaches an alert, and what that makes of the alert."""

import pytest

from analysis.candidates import candidates
from analysis.case import Case
from analysis.hypotheses import hypotheses
from analysis.kinds import Fit
from analysis.reach import CONSISTENT, EXPLAINED, NOT_EXPLAINED, Reach, account_of, reach_of
from domain.evidence import Finding
from domain.facts import Fact
from domain.results import Edge
from tests.analysis.test_accounts import FULL, case, finding

RUNS = (Fact("container", "container:api", {}), Fact("container", "container:web", {}),
        Fact("process", "process:xm", {}))  # fmt: skip
OOM = finding("container:api", "memory.oom_kill")
NEEDS = (Edge("web", "api"),)


def reach(of: Case) -> Reach:
    return reach_of(of, hypotheses(of, candidates(of))[0], 0)


def about(*named: str, found: Finding = OOM, edges: tuple[Edge, ...] = ()) -> Case:
    return case(("Odd", named), findings=(found,), facts=RUNS, edges=edges)


def test_another_machine_is_out_of_reach_whatever_is_found_here() -> None:
    assert reach(about("host:db-99", found=FULL)) is Reach.APART


def test_what_alerted_itself_is_the_same() -> None:
    assert reach(about("container:api")) is Reach.SAME


def test_who_needs_it_is_reached_and_whom_it_needs_is_only_near() -> None:
    assert reach(about("container:web", edges=NEEDS)) is Reach.NEEDS
    assert reach(about("container:web", edges=(Edge("api", "web"),))) is Reach.NEAR
    assert reach(about("container:web")) is Reach.APART


def test_all_on_a_machine_needs_its_disk_and_another_disk_does_not() -> None:
    assert reach(about("container:web", found=FULL)) is Reach.NEEDS
    other = case(("Odd", ("disk:/logs",)), findings=(FULL,), facts=(Fact("filesystem", "disk:/logs", {}),))
    assert reach(other) is Reach.APART


def test_a_process_is_near_the_one_machine_that_sources_look_at_and_not_one_of_two() -> None:
    found = finding("process:xm", "security.crypto_miner")
    assert reach(about("host:vm1", found=found)) is Reach.NEAR
    two = case(("Odd", ("host:vm1",)), findings=(found,), facts=RUNS, seen=(("vm1",), ("vm2",)))
    assert reach(two) is Reach.APART


def test_what_names_the_alerted_thing_in_its_own_words_is_reached() -> None:
    facts = (*RUNS, Fact("unit", "service:checkout", {}))
    told = finding("container:api", "memory.oom_kill", said="killed while it served checkout")
    longer = finding("container:api", "memory.oom_kill", said="killed while it served checkout-v2")
    reached = [reach(case(("Odd", ("service:checkout",)), findings=(f,), facts=facts)) for f in (OOM, told, longer)]
    assert reached == [Reach.APART, Reach.NEEDS, Reach.APART]


def test_an_alert_that_names_nothing_may_be_about_anything() -> None:
    assert reach(about()) is Reach.UNKNOWN


def test_a_recording_knows_not_what_no_evidence_names() -> None:
    assert reach(case(("Odd", ("service:cart",)), findings=(OOM,), facts=RUNS, seen=())) is Reach.UNKNOWN


@pytest.mark.parametrize(
    ("fits", "accounts"),  # apart, unknown, near, needs, same
    [
        (Fit.YES, [NOT_EXPLAINED, EXPLAINED, EXPLAINED, EXPLAINED, EXPLAINED]),
        (Fit.OPEN, [NOT_EXPLAINED, CONSISTENT, CONSISTENT, EXPLAINED, EXPLAINED]),
        (Fit.NO, [NOT_EXPLAINED, NOT_EXPLAINED, NOT_EXPLAINED, NOT_EXPLAINED, CONSISTENT]),
    ],
)
def test_the_account_takes_both_reach_and_kind(fits: Fit, accounts: list[str]) -> None:
    assert [account_of(each, fits) for each in Reach] == accounts
