"""What was so long before the alert is no cause of it by itself."""

from dataclasses import replace
from datetime import timedelta

import pytest

from analysis.candidates import candidates
from analysis.case import Case
from analysis.hypotheses import hypotheses
from analysis.long_before import LONG, stood
from domain.evidence import Finding
from domain.facts import Fact
from domain.results import Change
from domain.runbook import Condition, Runbook, Signature, StateTest
from tests.analysis.test_accounts import FIRED, case, finding

HOUR = LONG.total_seconds()


def book(kind: str, fault: str) -> Runbook:
    test = Signature("state", "so it is", 0.7, state=StateTest(kind, (Condition("name", equals="x"),)))
    return Runbook("r", "", fault, "host", "{entity}", signatures=(test,))


SETTING = replace(finding("host:vm1", "memory.overcommit_fork", 0.7), signature="r/state")
MINER = replace(finding("process:xm", "security.crypto_miner", 0.7), signature="r/state")


def of(found: Finding, kind: str, *facts: Fact) -> Case:
    return replace(case(("HostMemoryHigh", ("host:vm1",)), findings=(found,), facts=facts),
                   knowledge=(book(kind, found.kind),))  # fmt: skip


def is_old(case: Case) -> bool:
    return stood(case, hypotheses(case, candidates(case))[0])


@pytest.mark.parametrize("kind", ["setting", "interface", "route"])
def test_a_setting_is_old_where_nobody_changed_it(kind: str) -> None:
    old = of(SETTING, kind)
    assert is_old(old)
    changed = Change("c1", FIRED - timedelta(minutes=5), "host:vm1", "config", "sysctl")
    assert not is_old(replace(old, changes=(changed,)))
    assert is_old(replace(old, changes=(replace(changed, entity="host:db-99"),)))


def test_a_state_that_comes_and_goes_is_not_old() -> None:
    assert not is_old(of(SETTING, "memory"))


def test_what_is_certain_or_began_at_a_known_time_counts_however_old_it_is() -> None:
    assert not is_old(of(replace(SETTING, weight=0.8), "setting"))
    assert not is_old(of(replace(SETTING, onset=FIRED), "setting"))


def test_a_recording_is_of_its_incident_whatever_is_old_in_it() -> None:
    old = of(SETTING, "setting")
    assert not is_old(replace(old, incident=replace(old.incident, seen=())))


@pytest.mark.parametrize(("ages", "old"), [
    ((HOUR + 60,), True), ((HOUR - 60,), False), ((9 * HOUR, 60), False), ((), False),
])  # fmt: skip
def test_a_program_is_old_where_each_of_its_processes_is(ages: tuple[float, ...], old: bool) -> None:
    facts = tuple(Fact("process", "process:xm", {"elapsed_seconds": age}) for age in ages)
    assert is_old(of(MINER, "process", Fact("process", "process:other", {"elapsed_seconds": 9 * HOUR}), *facts)) is old


def test_one_sign_that_is_new_is_enough() -> None:
    both = of(SETTING, "setting")
    fresh = replace(SETTING, signature="log/line", statement="fork failed", onset=FIRED)
    assert not is_old(replace(both, findings=(SETTING, fresh)))


def test_a_mere_passage_is_no_sign_that_is_new() -> None:
    passage = replace(SETTING, signature="other/passage", weight=0.1, onset=FIRED)
    assert is_old(replace(of(SETTING, "setting"), findings=(SETTING, passage)))
