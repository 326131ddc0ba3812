"""What stands in a model's text: what it only thought, and one JSON object. And words that join a conversation."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage

# A template may have swallowed the opening mark, and a limit the closing one. A mark further on is a quoted one.
_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CLOSED: Final = re.compile(r"\A(.*?)</think(?:ing)?>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL)


def thoughts(text: str) -> tuple[str, str]:
    """The text without the reasoning at its beginning, and the reasoning."""
    found = _THOUGHT.match(text) or (_CLOSED.match(text) if "<think" not in text else None)
    return (text[found.end() :].lstrip(), found[1].strip()) if found else (text, "")


def parsed(text: str) -> dict[str, Any]:
    """The object that is the text, stands in its fence, or spans from its first brace to its last. Raises ValueError
    with what is wrong with the last of these."""
    problem = ""
    whole = text[text.find("{") : text.rfind("}") + 1]
    for each in (text, *_FENCED.findall(text), whole):
        try:
            found = json.loads(each)
        except (ValueError, RecursionError) as exc:
            problem = str(exc)
            continue
        if isinstance(found, dict):
            return found
    raise ValueError(problem)


def json_object(text: str) -> dict[str, Any] | None:
    """The same, or None where there is none."""
    try:
        return parsed(text)
    except ValueError:
        return None


def joined(messages: Iterable[BaseMessage]) -> list[Any]:
    """Two messages of a person in a row as one: some servers and templates refuse them."""
    told: list[Any] = []
    for message in messages:
        if told and isinstance(message, HumanMessage) and isinstance(told[-1], HumanMessage):
            told[-1] = HumanMessage(f"{told[-1].text}\n\n{message.text}")
        else:
            told.append(message)
    return told


def with_words(messages: Sequence[BaseMessage], words: str) -> list[BaseMessage]:
    """The messages with a person's words at their end."""
    return joined([*messages, HumanMessage(words)])
