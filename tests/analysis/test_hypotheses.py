"""From findings to a verdict: what explains what, what contradicts, and when nothing is wrong."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.candidates import candidates
from analysis.case import Case
from analysis.hypotheses import hypotheses
from analysis.inventory import Inventory
from analysis.verdict import decide
from domain.alert import Alert, Incident, Window
from domain.diagnosis import Diagnosis, Hypothesis, Verdict
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.results import Change, Edge
from domain.runbook import Condition, Runbook, Signature, StateTest

FIRED = datetime(2026, 8, 18, 10, 22, tzinfo=UTC)
OOM = Runbook(
    "memory-oom-kill", "oom", "memory.oom_kill", "container", "{entity} was OOM killed at its limit",
    explains=("proxy.*", "state.not_running", "log.error"),
    contradicts=(Signature("exit", "it ended with exit code {exit_code}", 0.8,
                           state=StateTest("container", (Condition("exit_code", equals=1),))),),
)  # fmt: skip
UPSTREAM = Runbook("proxy-upstream-down", "502", "proxy.upstream_down", "service", "The upstream {entity} refuses")
KNOWLEDGE = (OOM, UPSTREAM)


def finding(entity: str, kind: str, weight: float = 0.9, minutes: float | None = None, **more: object) -> Finding:
    onset = None if minutes is None else FIRED + timedelta(minutes=minutes)
    own = (Citation("log.1", f"logs/{entity.partition(':')[2]}.log", 1, "a line that says so"),)
    cited = more.pop("citations_", own)
    told = {"statement": f"{entity} shows {kind}", "signature": f"{kind}/{weight}", **more}
    return Finding(entity, kind, citations=cited, onset=onset, weight=weight, **told)  # type: ignore[arg-type]


def case(
    *findings: Finding,
    alert: str = "Http5xxRatioHigh",
    about: str = "container:web",
    facts: tuple[Fact, ...] = (),
    edges: tuple[Edge, ...] = (),
    changes: tuple[Change, ...] = (),
    severity: str = "critical",
) -> Case:
    incident = Incident("i1", "502 on /api", FIRED, Window(FIRED - timedelta(hours=1), FIRED), "UTC",
                        (Alert("alertmanager", alert, severity=severity, fingerprint="f1"),))  # fmt: skip
    named = tuple(Fact("container", f.entity) for f in findings if f.entity.startswith("container:"))
    return Case(incident, (about,), findings, facts, changes, Inventory.build((*facts, *named), edges), KNOWLEDGE)


def ranked(of: Case) -> tuple[Hypothesis, ...]:
    return hypotheses(of, candidates(of))


def decided(of: Case) -> Diagnosis:
    return decide(of, ranked(of))


def test_a_loud_downstream_error_is_a_symptom_of_what_explains_it_upstream() -> None:
    edges = (Edge("web", "api"),)
    found = ranked(case(finding("container:web", "proxy.upstream_down", 0.95, -5),
                        finding("container:api", "memory.oom_kill", 0.9, -6), edges=edges))  # fmt: skip
    assert [h.fault for h in found] == ["memory.oom_kill", "proxy.upstream_down"]
    assert [link.fault for link in found[0].chain] == ["memory.oom_kill", "proxy.upstream_down"]
    assert found[1].terms["symptom"] < 0


def test_a_mere_possibility_is_not_made_real_by_what_it_would_explain() -> None:
    refused = finding("container:web", "proxy.upstream_down", 0.9)
    terms = [ranked(case(finding("container:web", "memory.oom_kill", w), refused)) for w in (0.1, 0.9)]
    weak, seen = (next(h for h in found if h.fault == "memory.oom_kill").terms["explains"] for found in terms)
    assert 0 < weak < seen / 4


def test_what_starts_after_its_symptom_does_not_explain_it() -> None:
    found = ranked(case(finding("container:web", "proxy.upstream_down", 0.9, -30),
                        finding("container:api", "memory.oom_kill", 0.9, -2), edges=(Edge("web", "api"),)))  # fmt: skip
    by_fault = {h.fault: h for h in found}
    assert by_fault["memory.oom_kill"].explains == ()
    assert by_fault["proxy.upstream_down"].terms["symptom"] == 0


def test_a_cause_that_depends_on_its_symptom_does_not_explain_it() -> None:
    edges = (Edge("api", "web"),)
    found = ranked(case(finding("container:web", "proxy.upstream_down"), finding("container:api", "memory.oom_kill"),
                        edges=edges))  # fmt: skip
    assert {h.fault: h.explains for h in found}["memory.oom_kill"] == ()


def test_repeating_one_signature_adds_nothing() -> None:
    once = ranked(case(finding("container:api", "memory.oom_kill", 0.5)))[0]
    often = ranked(case(*[finding("container:api", "memory.oom_kill", 0.5) for _ in range(50)]))[0]
    assert often.terms["evidence"] == once.terms["evidence"]


def test_two_distinct_signatures_are_worth_more_than_one() -> None:
    one = ranked(case(finding("container:api", "memory.oom_kill", 0.6)))[0]
    two = ranked(
        case(finding("container:api", "memory.oom_kill", 0.6), finding("container:api", "memory.oom_kill", 0.5))
    )
    assert two[0].terms["evidence"] > one.terms["evidence"]
    assert len(two) == 1


def test_what_contradicts_a_hypothesis_lowers_it_and_is_told() -> None:
    facts = (Fact("container", "container:api", {"exit_code": 1}),)
    free = ranked(case(finding("container:api", "memory.oom_kill", 0.6)))[0]
    held = ranked(case(finding("container:api", "memory.oom_kill", 0.6), facts=facts))[0]
    assert held.score < free.score
    assert held.contradicts == ("it ended with exit code 1",)


def test_two_containers_with_one_fault_are_two_hypotheses() -> None:
    found = ranked(case(finding("container:a", "memory.oom_kill"), finding("container:b", "memory.oom_kill")))
    assert {h.entity for h in found} == {"container:a", "container:b"}


def test_a_symptom_without_a_runbook_stays_below_a_fault_that_a_signature_proves() -> None:
    found = ranked(case(finding("container:web", "log.new", 0.9, -5), finding("container:db", "memory.oom_kill", 0.7)))
    assert found[0].fault == "memory.oom_kill"


def test_a_change_near_the_onset_of_the_same_thing_counts_but_little() -> None:
    change = Change("d1", FIRED, "api", "deploy", "v2", minutes_before=4)
    near = ranked(case(finding("container:api", "memory.oom_kill", 0.6), changes=(change,)))[0]
    none = ranked(case(finding("container:api", "memory.oom_kill", 0.6)))[0]
    assert 0 < near.score - none.score < 0.1


def test_a_strong_hypothesis_about_the_alert_is_the_root_cause() -> None:
    diagnosis = decided(case(finding("container:web", "memory.oom_kill", 0.95, -6)))
    assert diagnosis.verdict is Verdict.ROOT_CAUSE
    assert diagnosis.confidence >= 0.7
    assert diagnosis.alerts[0].account == "explained"


def test_nothing_found_is_undetermined_with_a_next_check() -> None:
    diagnosis = decided(case())
    assert diagnosis.verdict is Verdict.UNDETERMINED
    assert "container:web" in diagnosis.next_check


def test_a_restart_alert_about_what_runs_well_is_healthy() -> None:
    well = finding("container:web", "state.recovered", 0.5)
    diagnosis = decided(case(well, alert="KubernetesPodRestarting", severity="warning"))
    assert diagnosis.verdict is Verdict.HEALTHY
    assert diagnosis.healthy is not None and diagnosis.healthy.fault == "none.recovered"


def test_a_running_process_does_not_disprove_errors_that_callers_see() -> None:
    diagnosis = decided(case(finding("container:web", "state.well", 0.5), alert="Http5xxRatioHigh"))
    assert diagnosis.verdict is Verdict.UNDETERMINED


def test_a_fault_beside_what_runs_well_is_not_healthy() -> None:
    well, bad = finding("container:web", "state.well", 0.5), finding("container:web", "memory.oom_kill", 0.9)
    assert decided(case(well, bad, alert="KubernetesPodRestarting")).verdict is Verdict.ROOT_CAUSE


def steady() -> Finding:
    return finding("container:web", "metric.steady", 0.5, captures={"kinds": "error latency traffic"})


def test_a_warning_of_slowness_that_the_callers_own_series_do_not_show_is_a_false_alarm() -> None:
    diagnosis = decided(case(steady(), alert="SlowRequestWarning", severity="warning"))
    assert diagnosis.verdict is Verdict.HEALTHY
    assert diagnosis.healthy is not None and diagnosis.healthy.fault == "none.false_alarm"


def test_steady_series_do_not_silence_a_critical_alert_of_callers() -> None:
    assert decided(case(steady(), alert="SlowRequestWarning", severity="critical")).verdict is Verdict.UNDETERMINED


def test_two_readings_of_one_line_are_of_one_thing_and_the_one_that_explains_it_goes_first() -> None:
    line = (Citation("log.1", "artifacts/pod.txt", 7, "one line that both read"),)
    cause = finding("external:hub", "memory.oom_kill", 0.9, citations_=line)
    effect = finding("service:web", "proxy.upstream_down", 0.95, citations_=line)
    apart = finding("service:web", "proxy.upstream_down", 0.95)
    shared, separate = (ranked(case(cause, each)) for each in (effect, apart))
    stepped = [
        next(h for h in each if h.fault == "proxy.upstream_down").terms["symptom"] for each in (shared, separate)
    ]
    assert stepped[0] < stepped[1] < 0


COMMIT = Runbook("change-commit", "commit", "change.commit", "change", "{change} broke {service}",
                 explains=("database.*", "cache.*", "cpu.*"))  # fmt: skip
POOL = Runbook("pool", "pool", "database.pool_exhausted", "service", "The pool of {entity} is exhausted")
FULL = Runbook("full", "full", "cache.maxmemory", "service", "{entity} is full")


def explained(harm: str, fault: str, of: str = "service:web", changed: str = "web") -> float:
    blamed = finding("change:c1", "change.commit", 0.8, -9, captures={"service": changed, "harm": harm})
    edges = (Edge("web", "redis"), Edge("gateway", "web"))
    given = case(blamed, finding(of, fault, 0.9, -5), about="service:web", edges=edges)
    given = replace(given, knowledge=(COMMIT, POOL, FULL))
    return next(h.terms["symptom"] for h in ranked(given) if h.fault == fault)


def test_a_change_explains_the_symptom_that_is_the_harm_it_does_and_no_other_proved_one() -> None:
    assert explained("holds", "database.pool_exhausted") == pytest.approx(-0.4)
    assert explained("null", "cache.maxmemory", "service:redis") == 0.0
    assert explained("holds", "database.pool_exhausted", changed="gateway") == pytest.approx(-0.4)  # a user's harm


def test_that_something_was_changed_shortly_before_is_no_cause_by_itself() -> None:
    found = decided(case(finding("change:c1", "change.near", 0.2, -9), about="service:web"))
    assert found.verdict is Verdict.UNDETERMINED


def test_who_fills_the_disk_that_it_stands_on_explains_that_it_is_full() -> None:
    grows = Runbook("disk-wal-growth", "wal", "disk.wal_growth", "database", "{name} grows", explains=("disk.full",))
    full = Runbook("disk-full", "full", "disk.full", "disk", "{name} is full", explains=("disk.full",))
    edges = (Edge("container:db", "disk:/data", "uses"),)

    def told(fault: str, symptom: str) -> dict[str, float]:
        found = case(finding("container:db", fault), finding(symptom, "disk.full"), edges=edges)
        of = replace(found, knowledge=(grows, full))
        return next(each.terms for each in ranked(of) if each.entity == symptom)

    assert told("disk.wal_growth", "disk:/data")["symptom"] < 0
    assert told("disk.full", "disk:/data")["symptom"] == 0  # its complaint about the disk is no cause of it
