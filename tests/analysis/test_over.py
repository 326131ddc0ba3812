"""An event that is over: planned or recovered, with all series back where they were."""

from dataclasses import replace
from datetime import timedelta

from analysis.over import end_of
from domain.diagnosis import Hypothesis
from domain.evidence import Citation, Finding
from domain.facts import Fact
from tests.analysis.joining import NOW, case

OF = "database:users"
STEADY = Finding(OF, "metric.steady", "none of the series changed")


def event(line: int, minutes: int, message: str) -> Fact:
    at = NOW - timedelta(minutes=minutes)
    return Fact("event", OF, {"message": message, "component": "rds"}, "logs/rds-events.log", at, line, message)


BEGAN = event(1, 20, "Multi-AZ instance failover started.")
DONE = event(2, 18, "Multi-AZ instance failover completed")


def over(*facts: Fact, findings: tuple[Finding, ...] = (STEADY,), line: int = 1) -> bool:
    cited = (Citation("infra.1", "logs/rds-events.log", line, "failover started"),)
    told = Finding(OF, "database.failover", "it failed over", cited, onset=facts[0].at)
    hypothesis = Hypothesis(OF, "database.failover", "it failed over", 1.0, (told,))
    return end_of(case(facts, findings), hypothesis) is not None


def test_a_failover_that_completed_with_series_as_before_is_over() -> None:
    assert over(BEGAN, DONE)


def test_it_goes_on_or_just_ended_or_nothing_shows_that_all_is_back() -> None:
    assert not over(BEGAN)
    assert not over(BEGAN, replace(DONE, at=NOW - timedelta(minutes=1)))
    assert not over(BEGAN, DONE, findings=())


def test_a_reason_that_is_a_failure_errors_after_it_or_another_source_keep_it_open() -> None:
    assert not over(BEGAN, DONE, event(3, 18, "The primary host of the RDS Multi-AZ instance is unhealthy."))
    late = Finding("service:web", "log.error", "web says: refused", onset=NOW - timedelta(minutes=2))
    assert not over(BEGAN, DONE, findings=(STEADY, late))
    assert not over(BEGAN, DONE, line=9)
