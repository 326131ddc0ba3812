"""LangChain's OpenAI model with its hooks taken over: what goes out, and what comes back.

The hooks are private to langchain-openai; tests/models/test_hooks.py fails when a version drops or renames one.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import SkipValidation

from agents.gateway.known import Known
from agents.gateway.normalise import REASONING, normalised
from agents.gateway.toolcalls import arguments

_NEVER_READ: Final = 200  # characters of arguments that could not be read, told in the history


class Model(BaseChatOpenAI):
    """One model at one address. It asks once and raises; retries and keys are the gateway's."""

    known: SkipValidation[Known]

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Plain texts, valid arguments in the history, the reasoning where the provider wants it back."""
        messages = self._convert_input(input_).to_messages()
        payload: dict[str, Any] = super()._get_request_payload(messages, stop=stop, **kwargs)
        echoed = _echoed(messages) if self.known.profile.echo else {}
        for n, (message, told) in enumerate(zip(messages, payload["messages"], strict=True)):
            told["content"] = str(message.text)
            if isinstance(message, AIMessage):
                _history(told, null_content=self.known.profile.null_content)
            if n in echoed:
                told[self.known.profile.echo] = echoed[n]
        return payload

    def _use_responses_api(self, payload: dict[str, Any]) -> bool:
        """Never: it is OpenAI's alone."""
        return False

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """One request. LangChain's own warns of what we learn from, and reads answers that only look like one."""
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        raw = await self.async_client.with_raw_response.create(**payload)
        return self._create_chat_result(_json(raw.http_response.text))

    def _create_chat_result(  # type: ignore[override]  # of the raw body, before the client has made objects of it
        self, response: dict[str, Any] | str, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """The answer as one message, whatever form it came in. Raises ModelFailed."""
        clean = normalised(response)
        result: ChatResult = super()._create_chat_result(clean.body, generation_info)
        message = result.generations[0].message
        if isinstance(message, AIMessage):
            message.invalid_tool_calls = list(clean.calls.broken)
        message.response_metadata = {"model": self.model_name, "finish_reason": clean.finish}
        if clean.reasoning:
            message.response_metadata[REASONING] = clean.reasoning
        return result


def _json(text: str) -> dict[str, Any] | str:
    """The body as an object, else as it is."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return body if isinstance(body, dict) else text


def _history(told: dict[str, Any], *, null_content: bool) -> None:
    """An earlier answer as it is sent back: servers parse the arguments, so that broken ones break the request."""
    for call in told.get("tool_calls") or []:
        function = call["function"]
        read = arguments(function["arguments"])
        told_back = {"unreadable": str(function["arguments"])[:_NEVER_READ]} if isinstance(read, str) else read
        function["arguments"] = json.dumps(told_back, ensure_ascii=False)
    if null_content and told.get("tool_calls") and not told["content"]:
        told["content"] = None


def _echoed(messages: Sequence[BaseMessage]) -> dict[int, str]:
    """By place: the reasoning of the answers since a person last spoke."""
    spoke = max((n for n, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
    return {
        n: str(message.response_metadata[REASONING])
        for n, message in enumerate(messages)
        if n > spoke and isinstance(message, AIMessage) and message.response_metadata.get(REASONING)
    }
