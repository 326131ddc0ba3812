"""Whatever a server answers: there is a message that can be sent back, or a ModelFailed, and nothing else."""

import asyncio
import json
from typing import Any

import httpx2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from agents.gateway.ask import Ask, Call, Who
from agents.gateway.build import gateway
from agents.gateway.failures import Failure
from agents.gateway.settle import settled
from agents.gateway.tier import Tier
from agents.gateway.toolcalls import arguments, written
from domain.errors import ModelFailed
from tests.models.gateways import PROMPT, TOOL, Keys, Log

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
function = st.fixed_dictionaries({}, optional={"name": anything | st.just("logs_search"), "arguments": anything})
call = st.fixed_dictionaries({}, optional={"id": anything, "type": anything, "function": function | anything})
message = st.fixed_dictionaries(
    {},
    optional={"role": anything, "content": anything | st.text(), "tool_calls": st.lists(call, max_size=3) | anything,
              "refusal": st.none() | anything, "reasoning_content": anything, "reasoning": anything},
)  # fmt: skip
choice = st.fixed_dictionaries(
    {}, optional={"message": message | anything, "finish_reason": st.sampled_from(["stop", "length", None]) | anything}
)
usage = st.fixed_dictionaries(
    {}, optional={"prompt_tokens": anything, "completion_tokens": anything, "prompt_tokens_details": anything}
)
body = st.fixed_dictionaries(
    {}, optional={"choices": st.lists(choice, max_size=2) | anything, "usage": usage | anything,
                  "error": st.none() | anything}
)  # fmt: skip


GATEWAY = gateway(Tier("fast", "http://127.0.0.1:1/v1", "m1"), Keys(), Log(), httpx2.AsyncClient(), {})


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(body | st.text() | st.text().map(lambda text: f"data: {text}\n"), st.booleans())
def test_any_body_becomes_a_message_or_a_failure_with_a_class(answer: Any, tools: bool) -> None:
    ask = Ask(PROMPT, Who(), (TOOL,) if tools else ())
    try:
        raw = GATEWAY.model._create_chat_result(answer).generations[0].message
        assert isinstance(raw, AIMessage)
        found = settled(raw, Call(ask, GATEWAY.tier, 100))
    except ModelFailed as exc:
        assert exc.kind in set(Failure) and "\n" not in str(exc)
        return
    assert tools or not found.tool_calls
    ids = [each["id"] for each in (*found.tool_calls, *found.invalid_tool_calls)]
    assert len(set(ids)) == len(ids) and all(ids)
    sent = GATEWAY.model._get_request_payload([*PROMPT, found])["messages"][-1]
    for each in sent.get("tool_calls") or []:
        assert isinstance(json.loads(each["function"]["arguments"]), dict)
    json.dumps(sent)


@given(anything)
def test_arguments_are_an_object_or_a_line(raw: Any) -> None:
    found = arguments(raw)
    assert isinstance(found, dict) or (found and "\n" not in found)


@given(st.lists(st.sampled_from(["<tool_call>", "</tool_call>", '{"name": "a"}', "```", " ", "text", "\n"])))
def test_calls_in_a_text_never_lose_what_is_not_a_call(parts: list[str]) -> None:
    text = "".join(parts)
    left, found = written(text)
    assert text.startswith(left)
    assert left == text or found.valid or found.broken


def test_a_long_text_of_opened_calls_is_read_in_no_time() -> None:
    async def read() -> None:
        await asyncio.wait_for(asyncio.to_thread(written, "<tool_call>" * 20_000 + "x" * 20_000 + " " * 20_000), 20)

    asyncio.run(read())
