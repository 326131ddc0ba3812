"""An answer against what was asked: calls only where tools were offered, a text or calls, and always a usage."""

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from agents.gateway.ask import Call
from agents.gateway.failures import Failure
from agents.gateway.normalise import CUT, REASONING
from agents.gateway.texts import json_object
from agents.gateway.tokens import tokens_of
from agents.gateway.toolcalls import Found, withheld, written
from domain.errors import ModelFailed


def settled(message: AIMessage, call: Call) -> AIMessage:
    """The answer as the loop gets it. Raises ModelFailed when there is nothing in it."""
    text, found = str(message.text), Found(tuple(message.tool_calls), tuple(message.invalid_tool_calls))
    if not call.ask.tools:
        found = withheld(found)
    elif not found.valid and not found.broken:
        text, found = written(text)
    reasoning = str(message.response_metadata.get(REASONING) or "")
    if call.ask.schema is not None and not text and json_object(reasoning) is not None:
        text = reasoning  # some servers put the whole of a constrained answer there
    if not text and not found.valid and not found.broken:
        raise _empty(message)
    return AIMessage(
        text, tool_calls=list(found.valid), invalid_tool_calls=list(found.broken),
        usage_metadata=message.usage_metadata or _estimated(message, text, call),
        response_metadata=message.response_metadata,
    )  # fmt: skip


def _empty(message: AIMessage) -> ModelFailed:
    if message.response_metadata.get("finish_reason") == CUT:
        return ModelFailed(Failure.TRUNCATED, "the answer was cut off before it began")
    return ModelFailed(Failure.MALFORMED, "the answer is empty")


def _estimated(message: AIMessage, text: str, call: Call) -> UsageMetadata:
    """Where the server counts nothing, we do."""
    asked = sum(
        tokens_of(f"{each['name']} {each['args']}") for each in (*message.tool_calls, *message.invalid_tool_calls)
    )
    said = tokens_of(text) + tokens_of(str(message.response_metadata.get(REASONING) or "")) + asked
    return UsageMetadata(input_tokens=call.estimated, output_tokens=said, total_tokens=call.estimated + said)
