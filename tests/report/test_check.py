from dataclasses import replace

import pytest

from domain.diagnosis import Action, Diagnosis, Link, Verdict
from domain.evidence import Citation, Evidence, Finding
from report.check import check
from tests.report.sample import CALLS, CAUSE, EXIT, KILLED, OOM, REFUSED, UPSTREAM, full_report, log_line, result


def stands(citation: Citation, *calls, statement: str = "something was seen") -> bool:
    """Whether a finding with this one citation survives."""
    evidence = (Evidence("log", "analyst", "", (Finding("service:edge", "log.error", statement, (citation,)),)),)
    report = replace(full_report(), evidence=evidence, calls=(*CALLS, *calls))
    return bool(check(report).evidence[0].findings)


def test_a_report_whose_citations_all_resolve_is_kept_whole_and_counted():
    report = full_report()
    checked = check(report)

    assert (checked.evidence, checked.actions, checked.unverified) == (report.evidence, report.actions, ())
    assert checked.diagnosis.hypotheses[0].chain == CAUSE.chain
    checks = checked.run.checks
    assert (checks.statements, checks.cited, checks.verified, checks.struck) == (9, 9, 10, 0)


def test_a_quote_must_occur_in_the_stored_result():
    assert stands(OOM)
    assert not stands(replace(OOM, quote="Killed process 9999 (java)"))


def test_a_quote_must_come_from_the_source_and_line_that_it_names():
    assert not stands(replace(UPSTREAM, source="logs/other.log"))
    assert not stands(replace(UPSTREAM, line=18))
    assert stands(replace(UPSTREAM, line=None))


def test_a_quote_of_another_call_does_not_count():
    assert not stands(replace(OOM, call_id="infra.1"))
    assert not stands(replace(OOM, call_id="infra.99"))


def test_a_short_quote_must_be_a_whole_line():
    call = result(
        "log.7", "logs_search", {"lines": [log_line("logs/a.log", 1, "OOM"), log_line("logs/a.log", 2, "x OOM")]}
    )

    assert stands(Citation("log.7", "logs/a.log", 1, "OOM"), call)
    assert not stands(Citation("log.7", "logs/a.log", 2, "OOM"), call)


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\x85"])
def test_a_quote_is_one_line(end):
    text = f"first half of it{end}second half of it"
    call = result("log.7", "logs_search", {"lines": [log_line("logs/a.log", 1, text)]})

    assert not stands(Citation("log.7", "logs/a.log", 1, text), call)


def test_a_quote_has_three_hundred_characters_at_most():
    call = result("log.7", "logs_search", {"lines": [log_line("logs/a.log", 1, "x" * 400)]})

    assert stands(Citation("log.7", "logs/a.log", 1, "x" * 300), call)
    assert not stands(Citation("log.7", "logs/a.log", 1, "x" * 301), call)


def test_a_path_must_resolve_to_the_value_that_it_claims():
    assert stands(EXIT)
    assert not stands(replace(EXIT, value=1))
    assert not stands(replace(EXIT, path="/facts/7/attributes/exit_code"))
    assert not stands(replace(EXIT, path="facts/0/attributes/exit_code"))
    assert not stands(replace(EXIT, path="/facts/-1/attributes/exit_code"))


def test_true_does_not_stand_for_one():
    assert stands(replace(EXIT, path="/facts/0/attributes/oom_killed", value=True))
    assert not stands(replace(EXIT, path="/facts/0/attributes/oom_killed", value=1))


def test_a_pointer_may_hold_escaped_slashes_and_tildes():
    call = result("log.7", "logs_search", {"a/b": {"m~n": [5]}})

    assert stands(Citation("log.7", path="/a~1b/m~0n/0", value=5), call)


def test_a_citation_of_nothing_is_struck():
    assert not stands(Citation("log.1", "logs/edge.log", 17))


def test_a_call_that_failed_proves_nothing():
    failed = replace(CALLS[0], call_id="log.7", status="error")

    assert not stands(replace(UPSTREAM, call_id="log.7"), failed)


def test_absence_may_be_claimed_only_of_a_call_that_says_what_it_searched():
    bare = replace(result("log.7", "logs_search", {"matched": 0, "lines": []}), coverage=None)
    told = result("log.8", "logs_search", {"matched": 0, "lines": [], "searched": {"source": "logs/*"}})

    for path, value in (("/matched", 0), ("/lines", [])):
        assert not stands(Citation("log.7", path=path, value=value), bare)
        assert stands(Citation("log.8", path=path, value=value), told)


def test_a_statement_of_absence_needs_coverage_too():
    bare = replace(result("log.7", "logs_search", {"asked": "errors"}), coverage=None)

    assert not stands(Citation("log.7", path="/asked", value="errors"), bare, statement="No errors were logged")
    assert stands(Citation("log.7", path="/asked", value="errors"), bare, statement="errors were asked for")


def test_a_struck_citation_leaves_a_statement_that_has_another_one():
    finding = Finding("service:edge", "log.error", "refused", (UPSTREAM, replace(UPSTREAM, quote="never written so")))
    checked = check(replace(full_report(), evidence=(Evidence("log", "analyst", "", (finding,)),)))

    assert checked.evidence[0].findings[0].citations == (UPSTREAM,)
    assert checked.run.checks.struck == 1


def test_a_statement_without_a_citation_left_moves_to_the_unverified_ones():
    wrong = replace(OOM, quote="this was never written")
    finding = Finding("host:node-7", "memory.oom_kill", "killed twice", (wrong,))
    action = Action("now", "Do something bold", citations=(wrong,))
    checked = check(replace(full_report(), evidence=(Evidence("log", "analyst", "", (finding,)),), actions=(action,)))

    assert checked.evidence[0].findings == () and checked.actions == ()
    assert checked.unverified == ("host:node-7: killed twice", "Do something bold")


def test_a_root_cause_that_loses_its_whole_chain_is_undetermined_with_that_reason():
    lost = tuple(replace(link, citations=(replace(OOM, quote="this was never written"),)) for link in CAUSE.chain)
    report = full_report()
    checked = check(replace(report, diagnosis=replace(report.diagnosis, hypotheses=(replace(CAUSE, chain=lost),))))

    assert checked.diagnosis.verdict is Verdict.UNDETERMINED
    assert "chain" in checked.diagnosis.why
    assert checked.diagnosis.next_check
    assert len(checked.unverified) == 2


def test_a_root_cause_that_loses_one_link_stands_on_the_others():
    half = (CAUSE.chain[0], replace(CAUSE.chain[1], citations=()))
    report = full_report()
    checked = check(replace(report, diagnosis=replace(report.diagnosis, hypotheses=(replace(CAUSE, chain=half),))))

    assert checked.diagnosis.verdict is Verdict.ROOT_CAUSE
    assert checked.diagnosis.hypotheses[0].chain == (CAUSE.chain[0],)


def test_healthy_without_a_proof_is_undetermined():
    healthy = Link("service:edge", "none.recovered", "edge answers again", (EXIT,))
    report = replace(full_report(), diagnosis=Diagnosis(Verdict.HEALTHY, (), 0.8, healthy))
    unproven = replace(report, diagnosis=replace(report.diagnosis, healthy=replace(healthy, citations=())))

    assert check(report).diagnosis.verdict is Verdict.HEALTHY
    assert check(unproven).diagnosis.verdict is Verdict.UNDETERMINED


def test_checking_twice_changes_nothing_more():
    once = check(full_report())

    assert check(once) == once


def test_the_sample_quotes_are_what_the_sample_results_hold():
    assert KILLED in str(CALLS[2].data) and REFUSED in str(CALLS[0].data)
