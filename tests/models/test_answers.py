"""Answers that are none, and answers in strange forms."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from domain.errors import ModelFailed
from tests.models import behaviours as b
from tests.models.gateways import PROMPT, TOOL, bench
from tests.models.server import Behaviour, scripted


async def one(behaviour: Behaviour, **tier: Any) -> tuple[AIMessage, Any]:
    """The answer to a call with a tool."""
    async with scripted(behaviour) as server, bench(server.url, **tier) as made:
        return await made.with_tools(), made


# --- no answer


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (b.html(), "Service portal"),
        (b.broken_json(), "no JSON object"),
        (b.empty_choices(), "no choices"),
        (b.null_choices(), "no choices"),
        (b.empty_answer(), "empty"),
        (lambda _: b.whole([{"message": None, "finish_reason": "stop"}]), "no message"),
        (lambda _: b.whole([{"message": "text", "finish_reason": "stop"}]), "no message"),
        (b.error_in_200("something broke", "oops"), "something broke"),
    ],
)
async def test_what_is_no_answer_is_asked_for_again_and_then_malformed(behaviour: Behaviour, said: str) -> None:
    async with scripted(behaviour, b.says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
    async with scripted(behaviour, behaviour, behaviour) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed, match=said) as told:
            await made.ask()
    assert told.value.kind == "malformed" and made.log.failures == ["malformed"]


@pytest.mark.parametrize(
    ("message", "code", "kind", "requests"),
    [
        ("upstream is overloaded", 503, "overload", 4),
        ("too long: maximum context length is 4096", None, "context_overflow", 1),
        ("No auth credentials found", 401, "auth", 1),
        ("Provider returned error", 400, "bad_request", 1),
    ],
)
async def test_an_error_object_with_status_200_has_its_own_class(
    message: str, code: object, kind: str, requests: int
) -> None:
    async with scripted(then=b.error_in_200(message, code)) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed) as told:
            await made.ask()
    assert told.value.kind == kind and len(server.requests) == requests


@pytest.mark.parametrize("behaviour", [b.refusal(), b.filtered()])
async def test_a_refusal_is_not_argued_with(behaviour: Behaviour) -> None:
    async with scripted(behaviour) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed, match="refuses") as told:
            await made.ask()
    assert told.value.kind == "refusal" and made.log.failures == ["refusal"]


async def test_a_prompt_that_is_too_long_is_for_the_loop_to_compact() -> None:
    async with scripted(b.too_long(3000)) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed) as told:
            await made.ask([HumanMessage("word " * 3000)])
        assert told.value.kind == "context_overflow" and made.log.failures == ["context_overflow"]
        assert made.gateway.window == 3000


async def test_a_prompt_that_fits_gets_a_shorter_answer_when_both_together_do_not() -> None:
    async with scripted(b.too_long(2000), b.says("fine")) as server, bench(server.url, max_output=4000) as made:
        assert (await made.ask([HumanMessage("word " * 1000)])).content == "fine"
    first, second = (request.body["max_tokens"] for request in server.requests)
    assert first == 4000 and 256 <= second < 1000


# --- truncated


async def test_an_answer_that_was_cut_off_is_asked_for_once_more_with_a_higher_limit() -> None:
    async with scripted(b.truncated(), b.says("whole")) as server, bench(server.url, max_output=300) as made:
        answer = await made.ask()
    assert answer.content == "whole" and answer.usage_metadata["input_tokens"] == 200
    assert [request.body["max_tokens"] for request in server.requests] == [300, 600]
    assert made.log.records[0].prompt_tokens == 200  # both were paid


async def test_an_answer_that_is_cut_off_twice_is_given_as_far_as_it_came() -> None:
    async with scripted(b.truncated("The ca"), b.truncated("The cause")) as server, bench(server.url) as made:
        answer = await made.ask()
    assert answer.content == "The cause" and answer.response_metadata["finish_reason"] == "length"
    assert made.log.failures == ["truncated"]


async def test_an_answer_that_is_cut_off_before_it_begins_is_given_up() -> None:
    nothing = b.empty_answer("length")
    async with scripted(nothing, nothing) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed) as told:
            await made.ask()
    assert told.value.kind == "truncated" and made.log.failures == ["truncated"]
    assert made.log.records[0].completion_tokens == 20  # spent on reasoning nobody sees


async def test_a_call_that_is_cut_off_is_never_a_valid_one() -> None:
    async with scripted(b.cut_off(), b.cut_off()) as server, bench(server.url) as made:
        answer = await made.with_tools()
    assert answer.tool_calls == [] and "limit" in str(answer.invalid_tool_calls[0]["error"])
    assert made.log.failures == ["truncated"]


async def test_no_arguments_at_the_limit_are_cut_off_arguments() -> None:
    cut = b.call_with("", finish="length")
    async with scripted(cut, cut) as server, bench(server.url) as made:
        answer = await made.with_tools()
    assert answer.tool_calls == [] and len(answer.invalid_tool_calls) == 1


# --- tool calls


async def test_a_good_call_passes() -> None:
    answer, made = await one(b.calls(("logs_search", {"grep": "oom"}), ("logs_search", {})))
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [
        ("logs_search", {"grep": "oom"}),
        ("logs_search", {}),
    ]
    assert made.log.failures == [""]


@pytest.mark.parametrize("id", ["", None, "same", 7, " padded ", "x" * 300])
async def test_ids_are_made_unique_and_fit_to_be_sent(id: object) -> None:
    answer, _ = await one(b.call_with_id(id, times=3))
    ids = [call["id"] for call in answer.tool_calls]
    assert len(set(ids)) == 3 and all(isinstance(each, str) and 0 < len(each) <= 128 for each in ids)


async def test_a_good_id_is_kept() -> None:
    answer, _ = await one(b.call_with_id("call_abc"))
    assert answer.tool_calls[0]["id"] == "call_abc"


@pytest.mark.parametrize("arguments", [{"grep": "oom"}, '{"grep": "oom"}', json.dumps('{"grep": "oom"}')])
async def test_arguments_as_object_text_or_encoded_twice_are_the_same(arguments: object) -> None:
    answer, _ = await one(b.call_with(arguments))
    assert answer.tool_calls[0]["args"] == {"grep": "oom"} and answer.invalid_tool_calls == []


@pytest.mark.parametrize("arguments", ["", None, "{}", {}])
async def test_no_arguments_are_an_empty_object(arguments: object) -> None:
    answer, _ = await one(b.call_with(arguments))
    assert answer.tool_calls[0]["args"] == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"grep": "oo', "no JSON"),
        ("grep=oom", "no JSON"),
        ('{"grep": NaN}', "no JSON"),
        ('{"grep": "a", "grep": "b"}', "given twice"),
        ('{"grep": "a"} {"grep": "b"}', "no JSON"),
        ('["oom"]', "a list"),
        (["oom"], "a list"),
        ("3", "a number"),
        (json.dumps(json.dumps(json.dumps({}))), "a text"),
        ("[" * 100_000, "no JSON"),
    ],
)
async def test_other_arguments_are_told_back_and_never_run(arguments: object, said: str) -> None:
    answer, made = await one(b.call_with(arguments))
    [broken] = answer.invalid_tool_calls
    assert answer.tool_calls == [] and said in str(broken["error"])
    assert broken["name"] == "logs_search" and isinstance(broken["args"], str) and broken["id"]
    assert made.log.failures == ["malformed"]


@pytest.mark.parametrize("name", ["", None, 3, "rm -rf /", "x" * 100])
async def test_a_call_without_a_proper_name_is_told_back(name: object) -> None:
    answer, _ = await one(b.call_with("{}", name=name))
    assert answer.tool_calls == [] and "names no tool" in str(answer.invalid_tool_calls[0]["error"])


@pytest.mark.parametrize("raw", ["text", {"a": 1}, [None, 3, "x"], [{"function": None}]])
async def test_tool_calls_in_no_form_at_all_break_nothing(raw: Any) -> None:
    answer, _ = await one(lambda _: b.completion({"content": "so it is", "tool_calls": raw}))
    assert answer.tool_calls == [] and answer.content == "so it is"


async def test_an_unknown_tool_is_left_to_the_hub_which_records_the_refusal() -> None:
    answer, _ = await one(b.unknown_tool())
    assert answer.tool_calls[0]["name"] == "delete_everything"


async def test_calls_where_none_was_offered_are_no_calls() -> None:
    async with scripted(b.calls(("logs_search", {"grep": "oom"}))) as server, bench(server.url) as made:
        answer = await made.ask()
    assert answer.tool_calls == [] and "no tools are offered" in str(answer.invalid_tool_calls[0]["error"])
    assert made.log.failures == ["malformed"]


async def test_a_call_that_a_template_left_in_the_text_is_found() -> None:
    answer, _ = await one(b.tool_call_text())
    assert answer.tool_calls[0]["name"] == "logs_search" and answer.tool_calls[0]["args"] == {"grep": "oom"}
    assert answer.content == "I will look."


async def test_a_broken_call_in_the_text_is_told_back() -> None:
    answer, _ = await one(b.says("<tool_call>\n{logs_search: oom}\n</tool_call>"))
    assert answer.tool_calls == [] and len(answer.invalid_tool_calls) == 1


@pytest.mark.parametrize(
    "text",
    [
        'The log says <tool_call>{"name": "logs_search", "arguments": {}}</tool_call> and then it ends.',
        'It wrote:\n```\n<tool_call>{"name": "logs_search", "arguments": {}}</tool_call>\n```',
    ],
)
async def test_a_call_that_is_quoted_is_none(text: str) -> None:
    answer, _ = await one(b.says(text))
    assert answer.tool_calls == answer.invalid_tool_calls == [] and answer.content == text


async def test_a_call_in_the_text_is_none_where_no_tools_are_offered() -> None:
    async with scripted(b.tool_call_text()) as server, bench(server.url) as made:
        answer = await made.ask()
    assert answer.tool_calls == answer.invalid_tool_calls == []


async def test_a_text_that_claims_a_result_stays_a_text() -> None:
    answer, _ = await one(b.claims_a_result())
    assert answer.tool_calls == [] and "database is gone" in str(answer.content)


# --- text


@pytest.mark.parametrize("opened", [True, False])
async def test_reasoning_in_the_text_is_no_text(opened: bool) -> None:
    answer, _ = await one(b.thinks("Is it the disk?", "It is memory.", opened))
    assert answer.content == "It is memory." and answer.response_metadata["reasoning"] == "Is it the disk?"


async def test_reasoning_that_never_ends_is_all_there_is() -> None:
    async with scripted(*[b.says("<think>on and on")] * 3) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed, match="empty"):
            await made.ask()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_in_a_field_of_its_own_is_kept(field: str) -> None:
    answer, _ = await one(b.reasons("hm", "It is memory.", field))
    assert answer.content == "It is memory." and answer.response_metadata["reasoning"] == "hm"


async def test_content_in_blocks_is_joined() -> None:
    answer, _ = await one(lambda _: b.completion({"content": [{"type": "text", "text": "a"}, {"text": "b"}, "c"]}))
    assert answer.content == "ab"


# --- what goes out


async def test_what_is_sent_has_no_stream_no_choice_and_no_empty_list() -> None:
    async with scripted(b.says("a"), b.says("b")) as server, bench(server.url) as made:
        await made.gateway.bind_tools([], tool_choice="any").ainvoke(PROMPT)
        await made.gateway.bind_tools([TOOL], tool_choice="any").ainvoke(PROMPT)
    bare, tools = (request.body for request in server.requests)
    assert "tools" not in bare and [tool["function"]["name"] for tool in tools["tools"]] == ["logs_search"]
    for body in (bare, tools):
        assert body.get("stream") in (None, False)
        assert not {"tool_choice", "response_format", "parallel_tool_calls", "n", "temperature"} & set(body)


async def test_tools_and_a_schema_together_are_refused_here() -> None:
    async with scripted() as server, bench(server.url) as made:
        with pytest.raises(ValueError, match="not both"):
            await made.gateway.bind_tools([TOOL]).bind(schema={}).ainvoke(PROMPT)


async def test_a_forced_choice_that_a_server_refuses_is_never_met() -> None:
    async with scripted(b.no_forced_choice(b.says("fine"))) as server, bench(server.url) as made:
        answer = await made.gateway.bind_tools([TOOL], tool_choice="required").ainvoke(PROMPT)
    assert answer.content == "fine"


async def test_the_history_is_sent_as_plain_text_with_arguments_that_can_be_read() -> None:
    broken = {"type": "invalid_tool_call", "name": "logs_search", "args": '{"grep": "oo', "id": "c2", "error": "x"}
    history = [
        *PROMPT,
        AIMessage("", tool_calls=[{"name": "logs_search", "args": {"grep": "ä"}, "id": "c1"}],
                  invalid_tool_calls=[broken]),
        ToolMessage([{"type": "text", "text": "found"}], tool_call_id="c1"),
        ToolMessage("no JSON", tool_call_id="c2"),
    ]  # fmt: skip
    async with scripted(b.says("fine")) as server, bench(server.url) as made:
        await made.with_tools(history)
    *_, said, first, second = server.requests[0].messages
    assert said["content"] == "" and first["content"] == "found" and second["tool_call_id"] == "c2"
    assert [json.loads(call["function"]["arguments"]) for call in said["tool_calls"]] == [
        {"grep": "ä"},
        {"unreadable": '{"grep": "oo'},
    ]


@pytest.mark.parametrize(("profile", "content"), [("openai", None), ("llamacpp", "")])
async def test_a_message_that_only_calls_has_the_content_its_provider_takes(profile: str, content: object) -> None:
    history = [*PROMPT, AIMessage("", tool_calls=[{"name": "logs_search", "args": {}, "id": "c1"}]),
               ToolMessage("found", tool_call_id="c1")]  # fmt: skip
    async with scripted(b.says("fine")) as server, bench(server.url, profile=profile) as made:
        await made.with_tools(history)
    assert server.requests[0].messages[2]["content"] == content


@pytest.mark.parametrize(("profile", "sent"), [("deepseek", ["why"]), ("unknown", [])])
async def test_reasoning_goes_back_only_where_it_is_wanted_and_only_within_a_tool_turn(
    profile: str, sent: list[str]
) -> None:
    def called(n: int, thought: str) -> list[Any]:
        asked = [{"name": "logs_search", "args": {}, "id": f"c{n}"}]
        return [AIMessage("", tool_calls=asked, response_metadata={"reasoning": thought}),
                ToolMessage("found", tool_call_id=f"c{n}")]  # fmt: skip

    history = [*PROMPT, *called(1, "of before"), HumanMessage("And now?"), *called(2, "why")]
    async with scripted(b.says("fine")) as server, bench(server.url, profile=profile) as made:
        await made.with_tools(history)
    told = [m["reasoning_content"] for m in server.requests[0].messages if "reasoning_content" in m]
    assert told == sent


async def test_usage_that_grows_in_a_stream_nobody_asked_for_is_its_last_not_its_sum() -> None:
    answer, made = await one(b.streams_anyway("It is ", "mem", "ory."))
    assert answer.content == "It is memory."
    assert made.log.records[0].prompt_tokens == 100 and made.log.records[0].completion_tokens == 3


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": None}, "many"])
async def test_missing_usage_is_estimated(usage: Any) -> None:
    answer, made = await one(lambda _: b.completion({"content": "It is memory."}, usage=usage))
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] == made.log.records[0].estimated > 20
    assert made.log.records[0].completion_tokens == answer.usage_metadata["output_tokens"] > 2
