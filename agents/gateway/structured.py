"""One JSON object as an answer: held against its schema, and asked for once more where it does not hold."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from langchain_core.messages import AIMessage

from agents.gateway.ask import Ask
from agents.gateway.texts import with_words

_SHOWN: Final = 4000  # characters of a bad answer that are sent back
_PROBLEMS: Final = 3
AGAIN: Final = "That is not what was asked for: {problem}. Answer again with the one JSON object and nothing else."


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
    said = AIMessage(message.text[:_SHOWN] or "{}")
    again = with_words([*ask.messages, said], AGAIN.format(problem=problem))
    return Ask(again, ask.who, schema=ask.schema)
