import copy
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from domain.diagnosis import Diagnosis, Link, Verdict
from report.check import check
from report.diff import differences
from report.document import document
from report.schema import schema, schema_text
from tests.report.sample import EXIT, full_report

PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"
HEALTHY = Link("service:edge", "none.recovered", "edge answers again", (EXIT,))


def errors(told: object) -> list[str]:
    return [error.message for error in Draft202012Validator(schema()).iter_errors(told)]


def test_the_published_schema_is_the_one_of_the_code():
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text(), "write schema_text() to docs/report.schema.json"


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "diagnosis",
    [
        full_report().diagnosis,
        replace(full_report().diagnosis, verdict=Verdict.UNDETERMINED),
        Diagnosis(Verdict.UNDETERMINED),
        Diagnosis(Verdict.ROOT_CAUSE),
        Diagnosis(Verdict.HEALTHY, (), 0.8, HEALTHY),
    ],
)
def test_every_document_fits_the_schema_checked_or_not(diagnosis):
    report = replace(full_report(), diagnosis=diagnosis)

    assert errors(document(report)) == []
    assert errors(document(check(report))) == []


def test_unknown_keys_are_allowed_everywhere():
    told = document(full_report())
    told["later"] = told["run"]["later"] = told["root_cause"]["later"] = told["citations"][0]["later"] = 1

    assert errors(told) == []


def test_what_a_verdict_forbids_breaks_the_schema():
    told = document(full_report())

    assert errors({**told, "verdict": "undetermined"})
    assert errors({**told, "verdict": "healthy"})
    assert errors({**told, "root_cause": None})
    assert errors({**told, "root_cause": {**told["root_cause"], "confidence": 1.2}})
    assert errors({**told, "root_cause": {**told["root_cause"], "fault": "none.healthy"}})
    assert errors({**told, "root_cause": {**told["root_cause"], "entity": "container:a, container:b"}})


def test_two_reports_that_differ_in_their_run_alone_have_no_differences():
    report = full_report()

    assert differences(document(report), document(replace(report, run=replace(report.run, seconds=99.0)))) == []


def test_a_difference_names_its_place_and_both_values():
    old = document(full_report())
    new = copy.deepcopy(old)
    new["root_cause"]["entity"] = "service:edge"
    new["gaps"].append({"what": "x", "why": "y", "tried": ""})
    del new["why"]

    found = differences(old, new)
    assert 'root_cause.entity: "container:orders_api" -> "service:edge"' in found
    assert any(line.startswith("gaps[1]: absent -> ") for line in found)
    assert any(line.startswith("why: ") and line.endswith("-> absent") for line in found)
    assert len(found) == 3


def test_true_and_one_are_different():
    assert differences({"a": True}, {"a": 1}) == ["a: true -> 1"]
