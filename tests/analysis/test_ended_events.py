"""An event that is over: planned or recovered, with all series back where they were."""

from dataclasses import replace
from datetime import timedelta

from analysis.ended_events import end_of
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


def test_words_of_an_end_that_did_not_come_or_of_other_work_are_no_end() -> None:
    for said in (
        "Multi-AZ instance failover has not completed", "Failover will be completed in the maintenance window",
        "Failover partially completed", "Finished DB Instance backup", "A new minor engine version is available",
    ):  # fmt: skip
        assert not over(BEGAN, replace(DONE, attributes={"message": said})), said


def test_a_second_run_after_the_end_or_trouble_of_unknown_time_keeps_it_open() -> None:
    assert not over(BEGAN, DONE, event(3, 12, "Multi-AZ instance failover started."))
    assert over(BEGAN, DONE, event(3, 12, "Multi-AZ instance failover started."), event(4, 10, DONE.quote))
    assert not over(BEGAN, DONE, findings=(STEADY, Finding("service:web", "log.error", "web says: refused")))


def test_events_without_lines_are_not_all_one() -> None:
    cited = (Citation("infra.1", "logs/rds-events.log", path="/facts/7/attributes/state", value="stopped"),)
    stopped = Finding(OF, "state.not_running", "it is stopped", cited)
    facts = (replace(BEGAN, line=None), replace(DONE, line=None))
    hypothesis = Hypothesis(OF, "state.not_running", "it is stopped", 1.0, (stopped,))
    assert end_of(case(facts, (STEADY,)), hypothesis) is None
