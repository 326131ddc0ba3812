"""One JSON object out of an answer: read, held against its schema, and asked for once more where it does not hold."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from langchain_core.messages import AIMessage

from agents.gateway.ask import Ask
from agents.gateway.request import with_words
from agents.gateway.tokens import text_of

_FENCED: Final = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL)
_SHOWN: Final = 4000  # characters of a bad answer that are sent back
_PROBLEMS: Final = 3
AGAIN: Final = "That is not what was asked for: {problem}. Answer again with the one JSON object and nothing else."


def json_object(text: str) -> dict[str, Any] | None:
    """The object that is the text, stands in its fence, or spans from its first brace to its last."""
    whole = text[text.find("{") : text.rfind("}") + 1]
    for each in (text, *(_FENCED.findall(text)), whole):
        try:
            found = json.loads(each)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def problem_of(found: Mapping[str, Any] | None, schema: Mapping[str, Any]) -> str:
    """In one line why it does not follow the schema; empty where it does."""
    if found is None:
        return "there is no JSON object in it"
    errors = sorted(Draft202012Validator(schema).iter_errors(found), key=lambda error: list(map(str, error.path)))
    told = (f"{'.'.join(map(str, error.path)) or 'the object'}: {error.message[:120]}" for error in errors[:_PROBLEMS])
    return "; ".join(told)


def as_object(message: AIMessage, found: Mapping[str, Any]) -> AIMessage:
    """The message with the object as its whole text."""
    return message.model_copy(update={"content": json.dumps(found, ensure_ascii=False)})


def repair(ask: Ask, message: AIMessage, problem: str) -> Ask:
    """The same ask once more, after the answer that did not hold and what was wrong with it."""
    said = AIMessage(text_of(message)[:_SHOWN] or "{}")
    again = with_words([*ask.messages, said], AGAIN.format(problem=problem))
    return Ask(again, ask.who, schema=ask.schema)
