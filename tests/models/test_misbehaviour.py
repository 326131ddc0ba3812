"""No misbehaviour of a provider loses an investigation: each ends in a report that says what went wrong, the failure is
logged under its class, and the offline diagnosis is unharmed."""

import json
from typing import Any

import pytest

from tests.acceptance.conftest import Running
from tests.models import behaviours as b
from tests.models.house import INCIDENT, Asked, good_model, with_model
from tests.models.mimic import honest
from tests.models.server import Answer, Behaviour, Request

SCHEMA_400 = "This response_format type is unavailable now"
CONCLUDED = b.concludes({"conclusion": "Nothing stands out.", "findings": [], "open_questions": [], "gaps": []})
GREP: dict[str, Any] = {"grep": "error"}

# What the server does for ever, the failure classes in the log, and what the gap says.
AWAY = [
    ("429 with Retry-After", b.rate_limited(0), {"rate_limit"}, "429"),
    ("out of money", b.out_of_money(), {"budget"}, "all keys of the tier fast rest"),
    ("500", b.breaks(), {"overload"}, "500"),
    ("reset in the body", b.resets(), {"connection"}, "no connection to the model's server"),
    ("key refused", b.unauthorized(), {"auth"}, "all keys are disabled"),
    ("HTML", b.html(), {"malformed"}, "the answer is no JSON object"),
    ("cut JSON", b.broken_json(), {"malformed"}, "the answer is no JSON object"),
    ("empty choices", b.empty_choices(), {"malformed"}, "the answer has no choices"),
    ("null choices", b.null_choices(), {"malformed"}, "the answer has no choices"),
    ("error in a 200", b.error_in_200(), {"overload"}, "upstream is overloaded"),
    ("empty answer", b.empty_answer(), {"malformed"}, "the answer is empty"),
    ("refusal", b.refusal(), {"refusal"}, "the model refuses"),
    ("content filter", b.filtered(), {"refusal"}, "the model refuses"),
    ("context overflow", b.too_long(), {"context_overflow"}, "maximum context length"),
    ("any other 400", b.bad_request(), {"bad_request"}, "Invalid value"),
    ("text cut off", b.truncated(), {"truncated"}, "cut off at its limit of tokens"),
    ("arguments cut off", b.cut_off(), {"truncated"}, "cut off at its limit of tokens"),
    ("arguments that are a list", b.call_with(["x"]), {"malformed"}, "tool calls could not be read"),
    ("arguments that are no JSON", b.call_with("{grep: x"), {"malformed"}, "tool calls could not be read"),
    ("an unknown tool", b.unknown_tool(), {"", "malformed"}, "it made the same call 3 times"),
    ("a loop that never ends", b.same_call_for_ever("logs_search", GREP), {"", "malformed"}, "it made the same call"),
    ("tools though none were offered", b.call_with_id(None), {"", "malformed"}, "though none were offered"),
    ("a claimed result", b.claims_a_result(), {""}, "the conclusion is no evidence"),
    ("a call in the text", b.tool_call_text(), {""}, "the conclusion is no evidence"),
    ("thoughts in the content", b.thinks("It may be the disk.", "Done."), {""}, "the conclusion is no evidence"),
]  # fmt: skip
# What the loop or the gateway repairs, so that the model's pass is as good as any.
REPAIRED = [
    ("forced tool_choice 400", b.no_forced_choice(CONCLUDED)),
    ("json_schema 400", b.no_json_schema(CONCLUDED, message=SCHEMA_400)),
    ("no usage", b.without_usage('{"conclusion": "Nothing stands out."}')),
    ("cumulative usage", b.streams_anyway('{"conclusion":', ' "Nothing stands out."}')),
    ("thoughts before the answer", b.thinks("Hm.", '{"conclusion": "Nothing stands out."}', opened=False)),
]


@pytest.fixture(scope="module")
def alone(running: Running) -> dict[str, Any]:
    """The offline diagnosis."""
    return running.replay(INCIDENT).document


def run(running: Running, then: Behaviour, **tier: Any) -> Asked:
    return running.runner.run(with_model(running.house(), INCIDENT, then=then, **{"timeout_seconds": 30.0} | tier))


def assert_unharmed(report: dict[str, Any], alone: dict[str, Any]) -> None:
    assert (report["verdict"], report["alerts"]) == (alone["verdict"], alone["alerts"])
    commands = [[action["command"] for action in told["actions"]] for told in (report, alone)]
    assert commands[0] == commands[1]
    cause, before = report["root_cause"], alone["root_cause"]
    assert (cause["entity"], cause["fault"]) == (before["entity"], before["fault"])
    assert cause["confidence"] <= before["confidence"]
    analysts = [[e for e in told["evidence"] if e["by"] == "analyst"] for told in (report, alone)]
    assert [e["conclusion"] for e in analysts[0]] == [e["conclusion"] for e in analysts[1]]


@pytest.mark.parametrize(("then", "classes", "gap"), [row[1:] for row in AWAY], ids=[row[0] for row in AWAY])
def test_it_ends_in_a_report_with_the_gap(
    then: Behaviour, classes: set[str], gap: str, running: Running, alone: dict[str, Any]
) -> None:
    asked = run(running, honest(then))
    assert set(map(str, asked.bench.log.failures)) == classes
    assert asked.outcome.failed and gap in asked.gaps and "the second pass, by m1" in asked.gaps
    assert_unharmed(asked.report, alone)
    assert asked.report["citations"] == alone["citations"]


def test_a_model_that_never_answers(running: Running, alone: dict[str, Any]) -> None:
    asked = run(running, b.hangs(), timeout_seconds=0.3)
    assert set(map(str, asked.bench.log.failures)) == {"timeout"}
    assert "the model did not answer in time" in asked.gaps
    assert_unharmed(asked.report, alone)


@pytest.mark.parametrize("then", [row[1] for row in REPAIRED], ids=[row[0] for row in REPAIRED])
def test_what_can_be_repaired_costs_nothing(then: Behaviour, running: Running, alone: dict[str, Any]) -> None:
    asked = run(running, then)
    assert not asked.outcome.failed and set(map(str, asked.bench.log.failures)) == {""}
    assert asked.report["comparison"]["model"]["by"] == "m1"
    assert_unharmed(asked.report, alone)


@pytest.mark.parametrize(
    "spoilt",
    [{"id": ""}, {"id": None}, {"id": "same"}, {"arguments": "object"}, {"arguments": "double"}],
    ids=["empty id", "null id", "duplicate id", "arguments as an object", "double-encoded arguments"],
)
def test_a_good_model_with_bad_tool_calls_is_understood(
    spoilt: dict[str, Any], running: Running, alone: dict[str, Any]
) -> None:
    good = good_model(running)
    asked = run(running, lambda request: _spoilt(good(request), spoilt))
    assert not asked.outcome.failed and set(map(str, asked.bench.log.failures)) == {""}
    assert asked.report["comparison"]["agreement"] == "cause"
    assert_unharmed(asked.report, alone)


def test_an_agent_whose_model_fails_half_way_leaves_a_gap_and_the_others_their_findings(
    running: Running, alone: dict[str, Any]
) -> None:
    good = good_model(running)

    def fails_the_log_agent(request: Request) -> Answer:
        half_way = good.agent_of(request) == "log" and len(request.messages) > 2
        return b.breaks(503)(request) if half_way else good(request)

    asked = run(running, fails_the_log_agent)
    assert not asked.outcome.failed and set(map(str, asked.bench.log.failures)) == {"", "overload"}
    assert "log agent's conclusion: the model's server answers 503" in asked.gaps
    told = {e["agent"]: e["findings"] for e in asked.report["evidence"] if e["by"] == "m1"}
    assert told["log"] == [] and told["metric"] != []
    assert_unharmed(asked.report, alone)


def test_a_citation_that_no_tool_returned_is_struck_and_counted(running: Running, alone: dict[str, Any]) -> None:
    cited = [{"call_id": "log.99", "quote": "FATAL: the disk is on fire", "path": "", "value": None}]
    finding = {"entity": "service:edge", "kind": "disk.full", "statement": "The disk is on fire", "onset": "",
               "severity": "critical", "citations": cited}  # fmt: skip
    told = b.concludes({"conclusion": "The disk.", "findings": [finding], "open_questions": [], "gaps": []})
    asked = run(running, told)
    assert "on fire" not in json.dumps([asked.report["citations"], asked.report["evidence"]])
    assert any("The disk is on fire" in each for each in asked.report["unverified"])
    assert asked.report["comparison"]["model"]["unsupported"] > 0
    assert "disk.full" not in [h["fault"] for h in asked.report["hypotheses"]]
    assert_unharmed(asked.report, alone)


def _spoilt(answer: Answer, spoilt: dict[str, Any]) -> Answer:
    """The same answer with its tool calls as some server would write them."""
    body = json.loads(answer.body)
    for call in body["choices"][0]["message"].get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        if "id" in spoilt:
            call["id"] = spoilt["id"]
        if spoilt.get("arguments") == "object":
            call["function"]["arguments"] = json.loads(arguments)
        if spoilt.get("arguments") == "double":
            call["function"]["arguments"] = json.dumps(arguments)
    return Answer(json.dumps(body).encode())
