"""The loop breaker: notices an agent that goes round in circles, and says in words how."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from agents.messages import said
from domain.codec import digest

SAME: Final = 3  # the same calls so often in a row: a second time may be a check, a third learns nothing
SWINGS: Final = 4  # A-B-A-B
ERRORS: Final = 3  # turns in a row in which every call failed
REPAIRS: Final = 2  # calls that could not be read may be written anew so often
GRAM: Final = 4  # words
LEAST_WORDS: Final = 40  # of a text that is judged: a short one repeats words by chance
REPEATED: Final = 0.5  # share of a text that its most frequent n-gram may fill
_WORD: Final = re.compile(r"\w+")


def stuck(messages: Sequence[AnyMessage]) -> str:
    """Why it makes no sense to go on, or nothing."""
    turns = _turns(messages)
    asked = [_asked(turn) for turn in turns]
    if len(asked) >= SAME and asked[-1] and len(set(asked[-SAME:])) == 1:
        return f"it made the same call {SAME} times"
    if len(asked) >= SWINGS and asked[-1] and _swings(asked[-SWINGS:]):
        return "it went back and forth between the same two calls"
    if len(turns) > REPAIRS and all(_unreadable(turn) for turn in turns[-REPAIRS - 1 :]):
        return f"its tool calls could not be read, {REPAIRS} repairs included"
    if len(turns) >= ERRORS and all(_failed(turn) for turn in turns[-ERRORS:]):
        return f"all its calls of {ERRORS} turns failed"
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    return degenerate(said(last)) if last is not None else ""


def degenerate(text: str) -> str:
    """Why the text says nothing, or nothing. An empty one is judged where it should have been a conclusion."""
    words = _WORD.findall(text.lower())
    if len(words) < LEAST_WORDS:
        return ""
    grams = Counter(tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1))
    (_, most) = grams.most_common(1)[0]
    return "its text repeats itself" if most * GRAM / len(words) > REPEATED else ""


_Turn = tuple[AIMessage, tuple[ToolMessage, ...]]


def _turns(messages: Sequence[AnyMessage]) -> list[_Turn]:
    """Each message that asked for calls, with their answers."""
    turns: list[_Turn] = []
    for message in messages:
        if isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
            turns.append((message, ()))
        elif isinstance(message, ToolMessage) and turns:
            turns[-1] = (turns[-1][0], (*turns[-1][1], message))
    return turns


def _asked(turn: _Turn) -> str:
    """The calls of a turn as one text; nothing where none could be read."""
    calls = sorted(digest([call["name"], call["args"]]) for call in turn[0].tool_calls)
    return " ".join(calls)


def _swings(asked: list[str]) -> bool:
    return asked[0] == asked[2] and asked[1] == asked[3] and asked[0] != asked[1]


def _unreadable(turn: _Turn) -> bool:
    return bool(turn[0].invalid_tool_calls) and not turn[0].tool_calls


def _failed(turn: _Turn) -> bool:
    return bool(turn[1]) and all(answer.status == "error" for answer in turn[1])
