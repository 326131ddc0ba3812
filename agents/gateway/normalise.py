"""A raw answer in its many forms -> one clean form, before LangChain parses it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.gateway.failures import Failure, by_error_object
from agents.gateway.streamed import assembled, is_stream
from agents.gateway.texts import thoughts
from agents.gateway.toolcalls import Found, tool_calls
from agents.gateway.usage import usage_of
from domain.errors import ModelFailed

CUT: Final = "length"  # the finish reason of an answer that reached its limit
REASONING: Final = "reasoning"  # its key in response_metadata
_FILTERED: Final = "content_filter"
_SHOWN: Final = 120


@dataclass(frozen=True)
class Clean:
    """What one answer holds."""

    text: str
    reasoning: str
    calls: Found
    finish: str  # stop | length | tool_calls | ..., as the server says; empty where it does not
    usage: dict[str, Any] | None  # as the server counts; None where it does not

    @property
    def body(self) -> dict[str, Any]:
        """The answer as LangChain can read it."""
        calls = [
            {"id": call["id"], "type": "function",
             "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}
            for call in self.calls.valid
        ]  # fmt: skip
        message = {"role": "assistant", "content": self.text, "tool_calls": calls}
        return {"choices": [{"message": message, "finish_reason": self.finish}], "usage": self.usage}


def normalised(response: Mapping[str, Any] | str) -> Clean:
    """The answer. Raises ModelFailed for what is none: an error object, a page, nothing, a refusal."""
    body = _body(response)
    if body.get("error"):
        raise by_error_object(body["error"])
    choice = _choice(body.get("choices"))
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ModelFailed(Failure.MALFORMED, "the answer has no message")
    finish = str(choice.get("finish_reason") or "")
    if message.get("refusal") or finish == _FILTERED:
        raise ModelFailed(Failure.REFUSAL, f"the model refuses: {str(message.get('refusal') or finish)[:_SHOWN]}")
    return _clean(message, finish, body.get("usage"))


def _clean(message: Mapping[str, Any], finish: str, usage: object) -> Clean:
    text, thought = thoughts(_text(message.get("content")))
    reasoning = next((str(v) for k in ("reasoning_content", "reasoning") if (v := message.get(k))), thought)
    calls = tool_calls(message.get("tool_calls"), cut=finish == CUT)
    return Clean(text, reasoning, calls, finish, usage_of(usage))


def _body(response: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(response, Mapping):
        return response
    if is_stream(response):
        return assembled(response)
    raise ModelFailed(Failure.MALFORMED, f"the answer is no JSON object but {' '.join(response.split())[:_SHOWN]!r}")


def _choice(choices: object) -> Mapping[str, Any]:
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        raise ModelFailed(Failure.MALFORMED, "the answer has no choices")
    return choices[0]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else []
    return "".join(str(block.get("text") or "") for block in blocks if isinstance(block, Mapping))
