"""A model's conclusion becomes Evidence that says nothing which its own results do not bear."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agents.answer import OBSERVATION, SCHEMA, WEIGHT, Bench, read_answer
from analysis.health import NEAR_STRENGTH
from domain.alert import Window
from domain.codec import to_plain
from domain.evidence import Citation, Evidence, Severity
from domain.plan import Task
from domain.results import Line, Lines, Searched, SeriesSummaries, SeriesSummary
from domain.runbook import Runbook
from domain.tool import ToolResult, ToolSpec

START, END = datetime(2026, 8, 18, 10, 0, tzinfo=UTC), datetime(2026, 8, 18, 11, 0, tzinfo=UTC)
TASK = Task("log", "i1", "502", (), ("service:web",), Window(START, END), "2026-08-18T10:22:00Z", "UTC", ("why?",), ())
LINES = Lines((Line("logs/web.log", 7, "2026-08-18 10:21:09 ERROR connect() to db:5432 failed"),),
              Searched("logs/web.log", matched=1, returned=1))  # fmt: skip
QUOTE = "ERROR connect() to db:5432 failed"
KNOWLEDGE = (
    Runbook("db-down", "", "database.down", "database", "it is down"),
    Runbook("fine", "", "none.healthy", "service", "all is well"),
)


def bench(**results: ToolResult) -> Bench:
    """What is judged by: one search, and what a test adds."""
    spec = {"logs_search": ToolSpec("logs_search", "logs", "", {}, view="lines"),
            "metrics_anomalies": ToolSpec("metrics_anomalies", "metrics", "", {}, view="series")}  # fmt: skip
    one = ToolResult("log.1", "logs_search", {}, "ok", to_plain(LINES))
    return Bench("log", "tiny", TASK, {"log.1": one, **{r.call_id: r for r in results.values()}}, spec, KNOWLEDGE)


def read(of: Bench | None = None, **finding: Any) -> Evidence:
    """The evidence of an answer with one finding; what is not given is sound."""
    cited = [{"call_id": "log.1", "quote": QUOTE, "path": "", "value": None}]
    sound = {"entity": "service:web", "kind": "log.error", "statement": "the database refuses", "onset": "",
             "severity": "error", "citations": cited}  # fmt: skip
    answer = {"conclusion": "The database is down.", "findings": [sound | finding], "open_questions": [], "gaps": []}
    found = read_answer(json.dumps(answer), of or bench())
    assert isinstance(found, Evidence)
    return found


def test_what_stands_in_a_result_is_cited_with_its_source_and_line() -> None:
    (finding,) = read().findings
    assert finding.citations == (Citation("log.1", "logs/web.log", 7, QUOTE),)
    assert (finding.weight, finding.severity) == (WEIGHT, Severity.ERROR)


@pytest.mark.parametrize(
    "citation",
    [
        {"call_id": "log.1", "quote": "FATAL the disk is full, says nobody"},
        {"call_id": "log.9", "quote": QUOTE},  # a call that was not made
        {"call_id": "infra.1", "quote": QUOTE},  # another's
        {"call_id": "log.1", "path": "/lines/0/line", "value": 8},
        {"call_id": "log.1", "path": "/lines/5/text", "value": QUOTE},
        {"call_id": "log.1", "path": "no pointer", "value": None},
        {"call_id": "log.1"},
        {"call_id": "log.1", "quote": "ERROR"},  # a word is no line
    ],
)
def test_a_citation_that_no_result_of_this_agent_bears_is_struck_and_counted(citation: dict[str, Any]) -> None:
    evidence = read(citations=[citation])
    assert all(finding.citations == () for finding in evidence.findings)
    assert evidence.gaps[0].what == "1 citation of the log agent"
    assert "not verified" in evidence.gaps[0].why


def test_prose_that_rests_on_nothing_moves_with_its_findings_under_not_verified() -> None:
    evidence = read(citations=[])
    assert "could be verified" in evidence.conclusion
    assert [finding.statement for finding in evidence.findings] == ["the database refuses", "The database is down."]
    assert not any(finding.citations for finding in evidence.findings)


def test_a_quote_with_the_number_of_its_line_as_the_view_shows_it_is_found() -> None:
    (finding,) = read(citations=[{"call_id": "log.1", "quote": f"7: 2026-08-18 10:21:09 {QUOTE}"}]).findings
    assert finding.citations[0].quote == f"2026-08-18 10:21:09 {QUOTE}"


def test_a_value_is_cited_as_it_stands_also_when_it_is_told_as_text() -> None:
    (finding,) = read(citations=[{"call_id": "log.1", "path": "/lines/0/line", "value": "7"}]).findings
    assert finding.citations == (Citation("log.1", path="/lines/0/line", value=7),)


def test_a_quoted_line_of_a_view_of_numbers_is_cited_by_path_and_value() -> None:
    series = SeriesSummary("service:web", "latency_ms", 9, 20.0, 90.5, 400.0, 380.0, median_before=21.0,
                           median_after=377.0, direction="up", score=40.0)  # fmt: skip
    data = to_plain(SeriesSummaries((series,), Searched("metrics.csv", matched=1, returned=1)))
    result = ToolResult("log.2", "metrics_anomalies", {}, "ok", data)
    cited = [{"call_id": "log.2", "quote": "service:web latency_ms: 21 -> 377 (up, score 40.0)"}]
    (finding,) = read(bench(metrics=result), citations=cited).findings
    assert finding.citations == (
        Citation("log.2", path="/series/0/median_before", value=21.0),
        Citation("log.2", path="/series/0/median_after", value=377.0),
    )


def test_that_nothing_was_found_is_cited_by_what_was_searched() -> None:
    nothing = to_plain(Lines((), Searched("logs/*", filter="grep=oom")))
    result = ToolResult("log.2", "logs_search", {}, "no_data", nothing)
    cited = [{"call_id": "log.2", "quote": "nothing found"}]
    (finding,) = read(bench(silent=result), statement="no OOM kill was logged", citations=cited).findings
    assert finding.citations == (Citation("log.2", path="/searched/matched", value=0),)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("database.down", "database.down"),
        ("db-down", "database.down"),
        ("db-down/refused", "database.down"),  # a hit of logs_match
        ("log.error", "log.error"),
        ("log.new", "log.error"),  # new is what a comparison says
        ("disk.eaten_by_mice", OBSERVATION),
        ("none.healthy", OBSERVATION),
        ("state.well", OBSERVATION),
        ("", OBSERVATION),
    ],
)
def test_a_kind_is_one_that_the_house_knows_or_a_mere_observation(given: str, kind: str) -> None:
    assert read(kind=given).findings[0].kind == kind


@pytest.mark.parametrize(
    ("given", "entity"),
    [("service:web", "service:web"), ("web", "service:web"), ("database:db", "database:db")],
)
def test_an_entity_is_one_that_alert_or_results_name(given: str, entity: str) -> None:
    (finding,) = read(entity=given).findings
    assert (finding.entity, bool(finding.citations)) == (entity, True)


@pytest.mark.parametrize("given", ["service:ledger", "ghost:web", "service:", "a, b", ""])
def test_an_entity_that_nothing_names_proves_nothing(given: str) -> None:
    assert all(finding.citations == () for finding in read(entity=given).findings)


def test_an_onset_is_kept_where_a_cited_result_says_it_and_nowhere_else() -> None:
    assert read(onset="2026-08-18T10:21:09Z").findings[0].onset == datetime(2026, 8, 18, 10, 21, 9, tzinfo=UTC)
    for wrong in ("2026-08-18T10:05:00Z", "2026-08-19T10:21:09Z", "10:21", "soon"):
        assert read(onset=wrong).findings[0].onset is None


@pytest.mark.parametrize(
    "text", ["", "It was DNS.", '{"conclusion": 7}', '{"findings": []}', "[1]", '{"conclusion": "a']
)
def test_what_is_no_answer_is_told_in_one_line(text: str) -> None:
    found = read_answer(text, bench())
    assert isinstance(found, str) and "no evidence" in found and "\n" not in found


def test_one_finding_that_cannot_be_read_does_not_take_the_others_with_it() -> None:
    answer = {"conclusion": "x", "findings": ["oops", {"entity": "service:web", "statement": "s"}]}
    found = read_answer(json.dumps(answer), bench())
    assert isinstance(found, Evidence)
    assert len(found.findings) == 2  # one, and the conclusion
    assert "1 of the log agent's findings" in [gap.what for gap in found.gaps]


def test_open_questions_and_gaps_are_gaps() -> None:
    answer = {"conclusion": "x", "open_questions": ["who wrote it?"], "gaps": [{"what": "dmesg", "why": "no rights"}]}
    found = read_answer(json.dumps(answer), bench())
    assert isinstance(found, Evidence)
    assert {(gap.what, gap.why) for gap in found.gaps} == {
        ("dmesg", "no rights"), ("who wrote it?", "left open by the log agent"),
    }  # fmt: skip


def test_a_models_word_overturns_no_all_clear() -> None:
    assert WEIGHT < NEAR_STRENGTH


def test_the_schema_is_closed_small_and_says_all_that_it_demands() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert len(json.dumps(SCHEMA)) < 1_800
    for each in _objects(SCHEMA):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    assert not {"$ref", "anyOf", "oneOf", "pattern", "format"} & _keys(SCHEMA)


def _objects(schema: Any) -> list[dict[str, Any]]:
    inner = [one for value in schema.values() if isinstance(value, dict) for one in _objects(value)]
    return [schema, *inner] if schema.get("type") == "object" else inner


def _keys(schema: Any) -> set[str]:
    return {key for each in [schema] for key in each} | {
        key for value in schema.values() if isinstance(value, dict) for key in _keys(value)
    }
