import json
from dataclasses import replace

from domain.diagnosis import Diagnosis, Link, Verdict
from report.check import check
from report.document import document, dump
from tests.report.sample import BOOK, CAUSE, EXIT, OOM, full_report


def test_citations_are_numbered_from_one_in_order_of_first_use_and_equal_ones_share_a_number():
    told = document(full_report())

    assert [c["id"] for c in told["citations"]] == [1, 2, 3, 4]
    assert [link["citations"] for link in told["root_cause"]["chain"]] == [[1, 2], [3]]
    assert [action["citations"] for action in told["actions"]] == [[4]] * 4


def test_a_citation_tells_the_call_its_arguments_the_place_and_the_hash_of_the_result():
    report = full_report()
    kernel = document(report)["citations"][0]

    assert kernel == {
        "id": 1, "call_id": "infra.2", "tool": "host_snapshot", "arguments": {"tail_n": 50},
        "source": "artifacts/dmesg.txt", "line": 3, "quote": OOM.quote, "path": None, "value": None,
        "result_sha256": report.calls[2].sha256,
    }  # fmt: skip


def test_evidence_and_coverage_stand_in_agent_order_then_call_order():
    told = document(full_report())

    assert [e["agent"] for e in told["evidence"]] == ["log", "metric", "infra", "runbook"]
    assert [c["call_id"] for c in told["coverage"]] == ["log.1", "infra.1", "infra.2", "runbook.1"]


def test_calls_are_ordered_by_number_and_not_by_spelling():
    report = full_report()
    first = report.coverage[0]
    told = document(replace(report, coverage=tuple(replace(first, call_id=f"log.{n}") for n in (10, 9, 2))))

    assert [c["call_id"] for c in told["coverage"]] == ["log.2", "log.9", "log.10"]


def test_the_root_cause_is_the_first_hypothesis_with_a_confidence_of_two_places():
    told = document(full_report())

    assert told["verdict"] == "root_cause"
    assert told["root_cause"]["confidence"] == 0.91
    assert (told["root_cause"]["entity"], told["root_cause"]["fault"]) == (CAUSE.entity, CAUSE.fault)
    assert told["hypotheses"][0]["summary"] == told["root_cause"]["summary"]


def test_an_undetermined_report_has_hypotheses_and_a_next_check_but_no_root_cause():
    report = full_report()
    told = document(replace(report, diagnosis=replace(report.diagnosis, verdict=Verdict.UNDETERMINED, next_check=" ")))

    assert told["root_cause"] is None
    assert told["next_check"].strip()
    assert [h["entity"] for h in told["hypotheses"]] == ["container:orders_api", "change:9f31c2a"]


def test_a_healthy_report_has_a_none_fault_with_a_confidence_and_cites_what_was_checked():
    healthy = Link("service:edge", "none.recovered", "edge answers again since 10:25", (EXIT,))
    told = document(replace(full_report(), diagnosis=Diagnosis(Verdict.HEALTHY, (), 0.8, healthy)))

    assert told["root_cause"]["fault"] == "none.recovered"
    assert told["root_cause"]["confidence"] == 0.8
    assert told["root_cause"]["chain"][0]["citations"] == [1]
    assert told["hypotheses"][0]["fault"] == "none.recovered"


def test_a_verdict_that_its_content_does_not_bear_is_undetermined_and_says_why():
    for broken in (
        Diagnosis(Verdict.ROOT_CAUSE),
        Diagnosis(Verdict.ROOT_CAUSE, (replace(CAUSE, fault="none.healthy"),), 0.9),
        Diagnosis(Verdict.HEALTHY, (CAUSE,), 0.9),
        Diagnosis(Verdict.HEALTHY, (), 0.9, Link("service:edge", "memory.oom_kill", "killed", (OOM,))),
    ):
        told = document(replace(full_report(), diagnosis=broken))
        assert (told["verdict"], told["root_cause"]) == ("undetermined", None)
        assert told["next_check"] and told["why"]


def test_a_confidence_outside_its_range_is_brought_into_it():
    report = full_report()
    for given, expected in ((1.7, 1.0), (-0.2, 0.0), (float("nan"), 0.0), (0.666666, 0.67)):
        told = document(replace(report, diagnosis=replace(report.diagnosis, confidence=given)))
        assert told["root_cause"]["confidence"] == expected


def test_two_dumps_are_equal_bytes_with_sorted_keys():
    once, again = dump(document(check(full_report()))), dump(document(check(full_report())))

    assert once == again
    assert list(json.loads(once)) == sorted(json.loads(once))


def test_half_of_a_surrogate_pair_can_be_written_as_utf_8():
    report = full_report()
    text = dump(document(replace(report, unverified=("odd \ud83d end",))))

    assert "odd ? end" in text.encode("utf-8").decode("utf-8")


def test_a_citation_of_a_call_that_is_not_stored_still_has_its_place():
    told = document(replace(full_report(), calls=()))

    assert {c["tool"] for c in told["citations"]} == {""}
    assert told["citations"][3]["value"] == BOOK.value
