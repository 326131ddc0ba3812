"""A model beside the analyst: it may name, it may doubt, it makes nobody surer."""

from dataclasses import replace

from analysis.case import Case
from analysis.confidence import BAR
from analysis.opinions import ADVICE, HEAVIEST, MODEL, SUREST, alike, only_model, unmatched, weighed
from domain.diagnosis import Verdict
from domain.evidence import Citation, Evidence, Finding, Severity
from tests.analysis.test_hypotheses import case, decided, finding, ranked


def told(*findings: Finding) -> tuple[Finding, ...]:
    """These findings as a model tells them: heavier than anything, in its own words."""
    heavy = (replace(f, weight=1.0, signature="memory-oom-kill/exit", score=99.0, captures={"strength": "9"})
             for f in findings)  # fmt: skip
    return weighed(Evidence("log", "some-model", "so it is", tuple(heavy)))


def both(of: Case, *findings: Finding) -> Case:
    return replace(of, findings=(*of.findings, *told(*findings)))


def test_a_finding_of_a_model_carries_none_of_the_marks_that_only_code_may_set() -> None:
    (one,) = told(finding("container:web", "memory.oom_kill"))
    assert (one.weight, one.signature, one.score, one.captures) == (HEAVIEST, MODEL, 0.0, {})


def test_a_finding_of_a_model_without_a_citation_does_not_count() -> None:
    bare = replace(finding("container:web", "memory.oom_kill"), citations=())
    assert told(bare) == ()


def test_an_all_clear_of_a_model_does_not_count() -> None:
    assert told(finding("container:web", "state.well"), finding("container:web", "metric.steady")) == ()


def test_what_rests_on_a_runbook_alone_weighs_little() -> None:
    one = finding("container:web", "memory.oom_kill")
    (advice,) = weighed(Evidence("runbook", "some-model", "so it is", (one,)))
    assert advice.weight == ADVICE < HEAVIEST


def test_the_model_by_itself_is_weighed_by_the_severity_that_it_tells() -> None:
    loud = replace(finding("container:web", "memory.oom_kill"), severity=Severity.CRITICAL)
    quiet = replace(finding("container:db", "disk.full"), severity=Severity.INFO)
    alone = only_model(both(case(finding("container:web", "proxy.upstream_down")), loud, quiet))
    assert [(f.kind, f.weight) for f in alone.findings] == [("memory.oom_kill", 0.9), ("disk.full", 0.2)]


def test_the_analysts_findings_pass_unchanged() -> None:
    findings = (finding("container:web", "memory.oom_kill"),)
    assert weighed(Evidence("log", "analyst", "", findings)) == findings


def test_a_model_that_agrees_in_many_words_makes_nobody_surer() -> None:
    alone = case(finding("container:web", "memory.oom_kill", 0.6))
    one = finding("container:web", "memory.oom_kill")
    said = [
        replace(one, statement=f"killed, said in way {n}", citations=(Citation("log.1", f"logs/{n}.log", n, "a line"),))
        for n in range(1, 9)
    ]
    follows = [finding("container:web", "proxy.upstream_down", statement=f"502 number {n}") for n in range(9)]
    before, after = decided(alone), decided(both(alone, *said, *follows))
    assert after.hypotheses[0].fault == before.hypotheses[0].fault == "memory.oom_kill"
    assert after.confidence == before.confidence > BAR


def test_a_rival_of_a_model_may_make_the_answer_less_sure_but_not_another() -> None:
    alone = case(finding("container:web", "memory.oom_kill", 0.6))
    after = decided(both(alone, finding("container:web", "disk.full")))
    assert after.hypotheses[0].fault == "memory.oom_kill"
    assert BAR < after.confidence < decided(alone).confidence
    assert "disk.full" in [h.fault for h in after.hypotheses]


def test_a_cause_that_only_a_model_names_is_told_and_stays_below_its_bound() -> None:
    of = both(case(), finding("container:web", "memory.oom_kill"), finding("container:web", "log.error"))
    after = decided(of)
    assert (after.verdict, after.hypotheses[0].fault) == (Verdict.ROOT_CAUSE, "memory.oom_kill")
    assert BAR < after.confidence <= SUREST
    assert ranked(of)[0].terms["evidence"] <= HEAVIEST


def test_a_model_does_not_turn_an_all_clear_of_code_into_a_fault() -> None:
    well = case(finding("container:web", "state.well", statement="web is running and answers"),
                alert="ContainerDown")  # fmt: skip
    before, after = decided(well), decided(both(well, finding("container:web", "memory.oom_kill")))
    assert before.verdict is after.verdict is Verdict.HEALTHY
    assert after.confidence < before.confidence


def test_the_same_line_or_the_same_fault_of_the_same_thing_is_alike() -> None:
    of = case()
    one = finding("container:web", "memory.oom_kill")
    elsewhere = (Citation("log.7", "logs/other.log", 9, "another line that says so"),)
    same_fault = replace(one, citations=elsewhere, statement="in other words")
    same_line = replace(
        one, kind="log.error", entity="service:x", citations=(replace(one.citations[0], call_id="log.7"),)
    )
    other = replace(same_line, citations=(replace(elsewhere[0], line=10),))
    assert alike(one, same_fault, of) and alike(one, same_line, of) and not alike(one, other, of)
    assert unmatched((one, other), (same_fault,), of) == (other,)
