"""langchain-openai's private hooks that the gateway takes over: a version that drops or moves one fails here."""

import inspect
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai.chat_models import base
from langchain_openai.chat_models.base import BaseChatOpenAI

from agents.gateway.model import Model
from tests.models.behaviours import says
from tests.models.gateways import PROMPT, bench
from tests.models.server import scripted

HOOKS = {
    "_get_request_payload": ["self", "input_", "stop", "kwargs"],
    "_create_chat_result": ["self", "response", "generation_info"],
    "_use_responses_api": ["self", "payload"],
    "_agenerate": ["self", "messages", "stop", "run_manager", "kwargs"],
}


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_there_with_the_parameters_that_ours_has(name: str) -> None:
    theirs, ours = getattr(BaseChatOpenAI, name), getattr(Model, name)
    assert list(inspect.signature(theirs).parameters) == HOOKS[name]
    assert list(inspect.signature(ours).parameters) == HOOKS[name]
    assert ours is not theirs


@pytest.mark.parametrize("name", HOOKS)
async def test_a_hook_is_really_called_on_the_way_of_a_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    ours = getattr(Model, name)

    def spied(self: Model, *given: Any, **named: Any) -> Any:
        called.append(name)
        return ours(self, *given, **named)

    monkeypatch.setattr(Model, name, spied)
    async with scripted(says("fine")) as server, bench(server.url) as made:
        await made.ask()
    assert called


def test_the_form_of_messages_that_our_payload_changes_is_known() -> None:
    told = base._convert_message_to_dict(HumanMessage("a"))
    assert told == {"role": "user", "content": "a"}


async def test_nothing_is_retried_and_nothing_looked_for_in_the_environment_by_the_client() -> None:
    async with scripted() as server, bench(server.url) as made:
        model = made.gateway.model
        assert model.root_async_client.max_retries == 0
        assert model.root_client is None  # our key is a coroutine, so that no second client was built
        assert str(model.root_async_client.base_url) == f"{server.url}/"


async def test_calls_cannot_be_streamed_whatever_listens() -> None:
    async with scripted(says("fine")) as server, bench(server.url) as made:
        parts = [part async for part in made.gateway.astream(PROMPT)]
    assert [part.content for part in parts if part.content] == ["fine"]
    assert server.requests[0].body.get("stream") in (None, False)


async def test_tiktoken_is_never_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("tiktoken wants the network")

    monkeypatch.setattr("tiktoken.get_encoding", asked)
    monkeypatch.setattr("tiktoken.encoding_for_model", asked)
    async with scripted(says("fine")) as server, bench(server.url) as made:
        assert made.gateway.estimate(PROMPT) > 0 and (await made.ask()).content == "fine"
