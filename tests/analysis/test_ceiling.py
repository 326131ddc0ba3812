"""No surer with a model than without it, and, where it only agrees, no less sure."""

from dataclasses import replace

from analysis.candidates import candidates
from analysis.case import Case
from analysis.ceiling import ceiling
from analysis.hypotheses import hypotheses
from analysis.opinions import SUREST
from domain.diagnosis import Hypothesis
from domain.evidence import Finding
from domain.facts import Fact
from domain.runbook import Condition, Runbook, Signature, StateTest
from tests.analysis import test_accounts as live
from tests.analysis.test_opinions import both

FULL = live.finding("disk:/data", "disk.full", 0.92)
EXPIRED = live.finding(
    "certificate:shop.example", "tls.certificate_expired", 0.92
)  # nothing connects it with the alert


def of(*findings: Finding, alert: str = "HostOutOfDiskSpace") -> Case:
    return live.case((alert, ("host:vm1",)), findings=findings, facts=(Fact("process", "process:xm", {}),))


def first(case: Case, fault: str) -> Hypothesis:
    return next(h for h in hypotheses(case, candidates(case)) if h.fault == fault)


def test_where_no_model_looked_there_is_no_bound() -> None:
    assert ceiling(of(FULL), first(of(FULL), "disk.full")) == 1.0


def test_a_model_that_agrees_makes_nobody_less_sure_beside_what_nothing_links() -> None:
    alone = of(FULL, EXPIRED)
    before, after = live.decided(alone), live.decided(both(alone, FULL))
    assert after.hypotheses[0].fault == "disk.full" and not after.hypotheses[1].linked
    assert after.confidence == before.confidence > 0.7


def test_a_rival_that_is_linked_bounds_the_answer_with_a_model_too() -> None:
    rival = live.finding("process:xm", "security.crypto_miner", 0.9)
    alone, clear = of(FULL, rival, alert="HostTrouble"), of(FULL, alert="HostTrouble")
    after = live.decided(both(alone, FULL)).confidence
    assert 0 < after == live.decided(alone).confidence < live.decided(clear).confidence


def test_a_cause_that_only_a_model_names_has_the_bound_of_a_model() -> None:
    case = both(of(EXPIRED), FULL)
    assert ceiling(case, first(case, "disk.full")) == SUREST


def test_what_stood_long_before_is_a_cause_only_for_the_model_and_has_its_bound() -> None:
    strict = Signature("strict", "so it is", 0.7, state=StateTest("setting", (Condition("name", equals="x"),)))
    forks = Runbook("forks", "", "memory.overcommit_fork", "host", "{entity}", signatures=(strict,))
    found = replace(live.finding("host:vm1", forks.fault, 0.7), signature="forks/strict")
    alone = replace(of(found, alert="HostMemoryHigh"), knowledge=(forks,))
    assert not live.decided(alone).hypotheses[0].linked
    case = both(alone, found)
    assert live.decided(case).hypotheses[0].linked
    assert ceiling(case, first(case, forks.fault)) == SUREST
