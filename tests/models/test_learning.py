"""What one refusal teaches, and that it is remembered for the model at its address."""

import tomllib
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agents.gateway.build import gateway
from agents.gateway.profiles import Rung, profile_for, profiles
from agents.gateway.tier import Tier
from domain.errors import BadConfiguration, ModelFailed
from tests.models import behaviours as b
from tests.models.gateways import PROMPT, SCHEMA, TOOL, Keys, Log, bench
from tests.models.server import scripted


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://eu.api.openai.com/v1", "openai"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen"),
        ("http://127.0.0.1:11434/v1", "ollama"),
        ("http://127.0.0.1:8000/v1", "unknown"),
        ("https://api.openai.com.evil.example/v1", "unknown"),
        ("https://notapi.openai.com.example:11434/v1", "ollama"),
    ],
)
def test_the_address_tells_the_profile(url: str, name: str) -> None:
    assert profile_for(url).name == name


def test_a_profile_can_be_named_and_an_unknown_name_lists_those_there_are() -> None:
    assert profile_for("http://127.0.0.1:8000/v1", "vllm").name == "vllm"
    with pytest.raises(BadConfiguration, match="there are unknown, openai, deepseek"):
        profile_for("http://127.0.0.1:8000/v1", "gpt")


def test_the_unknown_profile_is_the_most_careful_one() -> None:
    unknown = profiles()["unknown"]
    assert unknown.structured is Rung.TEXT and not (unknown.body or unknown.tools_body or unknown.schema_body)
    assert unknown.window == min(p.window for p in profiles().values() if p.name not in ("ollama", "llamacpp"))


def test_every_profile_has_only_keys_that_are_known() -> None:
    table = tomllib.loads(Path("agents/gateway/profiles.toml").read_text("utf-8"))
    known = set(table["unknown"])
    assert {name: set(keys) - known for name, keys in table.items() if name != "lesson" and set(keys) - known} == {}
    assert all(set(lesson) == {"says", "if", "set"} for lesson in table["lesson"])
    assert all(set(lesson["if"]) | set(lesson["set"]) <= known for lesson in table["lesson"])


async def test_the_name_of_the_limit_is_learned_once() -> None:
    async with scripted(then=b.only_completion_tokens(b.says("fine"))) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
        assert (await made.ask()).content == "fine"
    assert ["max_tokens" in request.body for request in server.requests] == [True, False, False]
    assert "max_completion_tokens" in server.requests[1].body
    assert [record.attempts for record in made.log.records] == [2, 1] and made.log.failures == ["", ""]


async def test_and_the_other_way_round() -> None:
    old = b.refuses(lambda body: "max_completion_tokens" in body,
                    "Unrecognized request argument supplied: max_completion_tokens", b.says("fine"))  # fmt: skip
    async with scripted(then=old) as server, bench(server.url, profile="openai") as made:
        assert (await made.ask()).content == "fine"
    assert "max_tokens" in server.requests[1].body


async def test_a_key_of_the_profile_that_is_refused_is_left_out() -> None:
    async with scripted(then=b.no_parallel(b.says("fine"))) as server, bench(server.url, profile="llamacpp") as made:
        await made.with_tools()
        await made.with_tools()
    assert ["parallel_tool_calls" in request.body for request in server.requests] == [True, False, False]


async def test_the_most_that_a_server_answers_is_learned() -> None:
    def at_most_800(request: Any) -> Any:
        too_many = request.body["max_tokens"] > 800
        said = "Invalid max_tokens value, the valid range of max_tokens is [1, 800]"
        return b.failing(400, said) if too_many else b.completion({"content": "fine"})

    async with scripted(then=at_most_800) as server, bench(server.url, max_output=2000) as made:
        await made.ask()
        await made.ask()
    assert [request.body["max_tokens"] for request in server.requests] == [2000, 800, 800]


async def test_a_raised_limit_that_is_refused_goes_back_to_the_most_that_is_taken() -> None:
    def at_most_500(request: Any) -> Any:
        if request.body["max_tokens"] > 500:
            return b.failing(400, "max_tokens must be less than or equal to 500")
        return b.truncated("half")(request)

    async with scripted(then=at_most_500) as server, bench(server.url, max_output=400) as made:
        assert (await made.ask()).content == "half"
    assert [request.body["max_tokens"] for request in server.requests] == [400, 800, 500]


async def test_tool_schemas_are_made_flat_where_a_grammar_cannot_be_built() -> None:
    nullable = {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "null"}], "description": "what"}
    several = {"type": "array", "items": {"type": "integer", "minimum": 1}}
    tool = {"type": "function", "function": {"name": "t", "description": "d", "parameters": {
        "type": "object", "additionalProperties": False, "required": ["a"],
        "properties": {"a": nullable, "b": several}}}}  # fmt: skip
    picky = b.refuses(lambda body: "anyOf" in str(body.get("tools")), "failed to parse grammar", b.says("fine"))
    async with scripted(then=picky) as server, bench(server.url) as made:
        assert (await made.gateway.bind_tools([tool]).ainvoke(PROMPT)).content == "fine"
    assert server.requests[1].body["tools"][0]["function"]["parameters"] == {
        "type": "object", "required": ["a"],
        "properties": {"a": {"type": "string", "description": "what"},
                       "b": {"type": "array", "items": {"type": "integer"}}},
    }  # fmt: skip


async def test_thinking_is_switched_off_where_a_server_says_that_it_must_be() -> None:
    said = "parameter.enable_thinking must be set to false for non-streaming calls"
    picky = b.refuses(lambda body: body.get("enable_thinking") is not False, said, b.says("fine"))
    async with scripted(then=picky) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
    assert len(server.requests) == 2


async def test_reasoning_that_a_server_wants_back_is_sent_from_then_on() -> None:
    history = [*PROMPT, AIMessage("", tool_calls=[{"name": "logs_search", "args": {}, "id": "c1"}],
                                  response_metadata={"reasoning": "why"}),
               ToolMessage("found", tool_call_id="c1")]  # fmt: skip
    said = "The reasoning_content in the thinking mode must be passed back to the API."
    picky = b.refuses(lambda body: "reasoning_content" not in body["messages"][2], said, b.says("fine"))
    async with scripted(then=picky) as server, bench(server.url) as made:
        assert (await made.with_tools(history)).content == "fine"
    assert server.requests[1].messages[2]["reasoning_content"] == "why"


async def test_what_teaches_nothing_twice_ends() -> None:
    stubborn = b.bad_request("max_completion_tokens and max_tokens are both wrong")
    async with scripted(then=stubborn) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed) as told:
            await made.ask()
    assert told.value.kind == "bad_request" and len(server.requests) <= 7


async def test_two_tiers_of_one_model_learn_together() -> None:
    async with scripted(then=b.only_completion_tokens(b.says("fine"))) as server, httpx2.AsyncClient() as client:
        memory: dict[Any, Any] = {}
        for tier in ("fast", "deep"):
            made = gateway(Tier(tier, server.url, "m1"), Keys(), Log(), client, memory)
            await made.ainvoke(PROMPT)
    assert len(server.requests) == 3


# --- one JSON object


async def test_the_best_form_is_asked_for_and_its_answer_is_bare_json() -> None:
    said = b.says('Sure:\n```json\n{"cause": "oom"}\n```')
    async with scripted(said) as server, bench(server.url, profile="vllm") as made:
        answer = await made.for_object()
    assert answer.content == '{"cause": "oom"}'
    sent = server.requests[0].body["response_format"]
    assert sent["type"] == "json_schema" and sent["json_schema"]["schema"] == SCHEMA
    assert sent["json_schema"]["strict"] is True


async def test_a_schema_that_is_open_is_not_called_strict() -> None:
    async with scripted(b.says('{"a": 1}')) as server, bench(server.url, profile="openai") as made:
        await made.gateway.bind(schema={"type": "object", "properties": {"a": {}}}).ainvoke(PROMPT)
    assert server.requests[0].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    "says_why", ["This response_format type is unavailable now", "Invalid schema for response_format 'answer'"]
)
async def test_a_schema_that_is_refused_is_asked_for_as_an_object_from_then_on(says_why: str) -> None:
    picky = b.no_json_schema(b.concludes({"cause": "oom"}), message=says_why)
    async with scripted(then=picky) as server, bench(server.url, profile="vllm") as made:
        assert (await made.for_object()).content == '{"cause": "oom"}'
        await made.for_object()
    forms = [request.body["response_format"]["type"] for request in server.requests]
    assert forms == ["json_schema", "json_object", "json_object"]
    assert '"required":["cause"]' in server.requests[1].messages[-1]["content"]


@pytest.mark.parametrize(("status", "attempts"), [(400, 2), (500, 5)])
async def test_an_error_that_does_not_say_why_steps_down_and_what_works_is_remembered(
    status: int, attempts: int
) -> None:
    picky = b.no_json_schema(b.concludes({"cause": "oom"}), status, "Internal Server Error")
    async with scripted(then=picky) as server, bench(server.url, profile="vllm") as made:
        assert (await made.for_object()).content == '{"cause": "oom"}'
        assert made.log.records[0].attempts == attempts
        await made.for_object()
    assert made.log.records[1].attempts == 1 and len(server.requests) == attempts + 1


async def test_a_server_that_refuses_all_forms_gets_words_only() -> None:
    picky = b.refuses(lambda body: "response_format" in body, "unknown field", b.concludes({"cause": "oom"}))
    async with scripted(then=picky) as server, bench(server.url, profile="openai") as made:
        assert (await made.for_object()).content == '{"cause": "oom"}'
    assert len(server.requests) == 3 and "```json" in server.requests[2].messages[-1]["content"]


async def test_an_unknown_server_gets_words_only_and_one_message_of_the_user() -> None:
    async with scripted(b.concludes({"cause": "oom"})) as server, bench(server.url) as made:
        await made.for_object()
    assert [message["role"] for message in server.requests[0].messages] == ["system", "user"]
    assert server.requests[0].messages[1]["content"].startswith("Why is it down?")


async def test_after_a_tool_result_the_words_are_a_message_of_their_own() -> None:
    history = [*PROMPT, AIMessage("", tool_calls=[{"name": "logs_search", "args": {}, "id": "c1"}]),
               ToolMessage("found", tool_call_id="c1")]  # fmt: skip
    async with scripted(b.concludes({"cause": "oom"})) as server, bench(server.url) as made:
        await made.for_object(history)
    assert [message["role"] for message in server.requests[0].messages[-2:]] == ["tool", "user"]


@pytest.mark.parametrize(("first", "why"), [("It is memory.", "no JSON object"), ('{"reason": 1}', "cause")])
async def test_an_answer_that_does_not_hold_is_repaired_once(first: str, why: str) -> None:
    async with scripted(b.says(first), b.concludes({"cause": "oom"})) as server, bench(server.url) as made:
        answer = await made.for_object()
    assert answer.content == '{"cause": "oom"}' and answer.usage_metadata["input_tokens"] == 200
    *_, said, asked = server.requests[1].messages
    assert said == {"role": "assistant", "content": first} and why in asked["content"]
    assert len(made.log.records) == 2


async def test_what_cannot_be_repaired_is_given_as_it_is() -> None:
    async with scripted(b.says("It is memory."), b.says("I said: memory.")) as server, bench(server.url) as made:
        assert (await made.for_object()).content == "I said: memory."


async def test_an_object_beside_its_schema_is_better_than_none() -> None:
    async with scripted(b.concludes({"reason": 1}), b.says("no")) as server, bench(server.url) as made:
        assert (await made.for_object()).content == '{"reason": 1}'


async def test_an_object_that_is_cut_off_twice_is_truncated() -> None:
    cut = b.truncated('{"cause": "o')
    async with scripted(cut, cut) as server, bench(server.url) as made:
        with pytest.raises(ModelFailed) as told:
            await made.for_object()
    assert told.value.kind == "truncated" and made.log.failures == ["truncated"]


async def test_an_object_in_the_reasoning_is_found() -> None:
    async with scripted(b.reasons('{"cause": "oom"}', "")) as server, bench(server.url, profile="vllm") as made:
        assert (await made.for_object()).content == '{"cause": "oom"}'


# --- counting


async def test_the_estimate_follows_what_the_server_counts() -> None:
    async with scripted(then=b.counts(800)) as server, bench(server.url) as made:
        before = made.gateway.estimate([HumanMessage("word " * 1000)])
        for _ in range(20):
            await made.ask([HumanMessage("word " * 1000)])
        after = made.gateway.estimate([HumanMessage("word " * 1000)])
    assert before > 950 and 780 < after < 830


async def test_a_server_that_drops_the_beginning_is_noticed_and_its_window_known() -> None:
    long = [HumanMessage("word " * 20_000)]
    async with scripted(b.counts(4096)) as server, bench(server.url, window=32_000) as made:
        with pytest.raises(ModelFailed, match="4096 of about") as told:
            await made.ask(long)
        assert told.value.kind == "context_overflow" and 4096 <= made.gateway.window <= 4200
        assert made.gateway.known.correction == 1.0
    assert made.log.failures == ["context_overflow"] and made.log.records[0].prompt_tokens == 4096


async def test_what_a_provider_had_cached_was_read_also_where_it_is_not_counted() -> None:
    used = {"prompt_tokens": 300, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 19_000}}
    cached = scripted(lambda _: b.completion({"content": "fine"}, usage=used))
    async with cached as server, bench(server.url, window=32_000) as made:
        assert (await made.ask([HumanMessage("word " * 20_000)])).content == "fine"


async def test_the_tools_are_estimated_too() -> None:
    async with scripted() as server, bench(server.url) as made:
        assert made.gateway.estimate(PROMPT, [TOOL]) > made.gateway.estimate(PROMPT) + 20
