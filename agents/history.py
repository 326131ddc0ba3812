"""What of its history an agent is sent: a pure function of its messages, which all stay in the checkpoint.

Three levels, the first that fits its room: results that were digested as one line each; notes in the place of all but
the last messages; and of these last the results cut. Nobody's words are rewritten at any level.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agents.briefing import briefing
from agents.gateway.texts import joined
from agents.gateway.tokens import prompt_tokens
from agents.messages import call_id_of, inside, said, task_of
from agents.notes import notes
from analysis.budget import LEAST, cut
from domain.codec import Json

KEPT_TURNS: Final = 1  # the results of so many last turns stay whole
SMALL: Final = 160  # characters: a result so short costs no more than the line that would stand for it
VERBATIM: Final = 4  # last messages that notes never replace
NOTHING: Final = "nothing found"  # how a view of an empty result begins
LONG_ARGUMENT: Final = 400  # characters of a call's argument, told shorter once the call was made
NOTE_CHARS: Final = (600, 200, 0)  # of a result in the notes, tried in this order
CUTS: Final = (8_000, 4_000, 2_000, 1_000, 500, LEAST)  # of a result in the last messages
OPENING: Final = 2  # system prompt and task
Estimate = Callable[[Sequence[BaseMessage]], int]


@dataclass(frozen=True)
class Room:
    """How much may be sent, in tokens, tools and the room for the answer already taken off."""

    most: int  # what fits
    easy: int  # above this, notes take the place of older messages


@dataclass(frozen=True)
class Sent:
    """What is sent, and what became of the rest."""

    messages: list[AnyMessage]
    tokens: int
    digested: int  # results told as one line
    noted: int  # messages that notes stand for
    cut: bool  # results of the last messages were cut


def sent(
    messages: Sequence[AnyMessage], room: Room, estimate: Estimate = prompt_tokens, *, tight: bool = False
) -> Sent:
    """The messages as they are sent; `tight` where the server found the easy way too long."""
    opening, rest = _opening(messages), _clean(messages[OPENING:])
    short, digested = _digested(rest)
    whole = joined([*opening, *short])
    if not tight and prompt_tokens(whole) <= room.easy and estimate(whole) <= room.most:
        return Sent(whole, estimate(whole), digested, 0, cut=False)
    return _noted(opening, rest, room, estimate, tight)


def _noted(opening: list[AnyMessage], rest: list[AnyMessage], room: Room, estimate: Estimate, tight: bool) -> Sent:
    """With notes; the first of ever smaller forms that fits, or the smallest."""
    at = _tail(rest)
    found = None
    for each, most in _forms(tight):
        noted = [HumanMessage(notes(rest[:at], each))] if at else []
        tail = [_within(m, most) if most and isinstance(m, ToolMessage) else m for m in rest[at:]]
        told = joined([*opening, *noted, *tail])
        found = Sent(told, estimate(told), 0, at, cut=tail != rest[at:])
        if max(found.tokens, prompt_tokens(told)) <= room.most:
            return found
    assert found is not None  # there is a form at least
    return found


def _forms(tight: bool) -> Iterable[tuple[int, int]]:
    """How much of a result stays in the notes and in the last messages (0: all of it)."""
    if not tight:
        yield NOTE_CHARS[0], 0
    yield from ((each, most) for most in CUTS[tight * 2 :] for each in NOTE_CHARS[:1])
    yield from ((each, LEAST) for each in NOTE_CHARS[1:])


def _opening(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    return [SystemMessage(str(messages[0].content)), HumanMessage(briefing(task_of(list(messages[:OPENING]))))]


def _clean(messages: Iterable[AnyMessage]) -> list[AnyMessage]:
    """Without what models only thought, and with long arguments told short."""
    return [_cleaned(message) if isinstance(message, AIMessage) else message for message in messages]


def _cleaned(message: AIMessage) -> AIMessage:
    calls = [
        {**call, "args": {name: _told(value) for name, value in call["args"].items()}} for call in message.tool_calls
    ]
    return message.model_copy(update={"content": said(message), "tool_calls": calls})


def _told(value: Json) -> Json:
    text = _dumped(value)
    if len(text) <= LONG_ARGUMENT:
        return value
    return f"({len(value)} items)" if isinstance(value, list | dict) else f"{str(value)[:LONG_ARGUMENT]}..."


def _digested(rest: list[AnyMessage]) -> tuple[list[AnyMessage], int]:
    """Results that the model has answered, but for those of the last turns, as one line each."""
    turns = [at for at, message in enumerate(rest) if isinstance(message, AIMessage)]
    since = turns[-KEPT_TURNS] if len(turns) >= KEPT_TURNS else 0
    told = [_line(m) if at < since and isinstance(m, ToolMessage) else m for at, m in enumerate(rest)]
    return told, sum(new is not old for new, old in zip(told, rest, strict=True))


def _line(message: ToolMessage) -> ToolMessage:
    """One line of ours, without a stranger's word in it: which call, and how to read it again."""
    opening, text, _ = inside(message)
    if not opening or (len(text) <= SMALL and not text.startswith(NOTHING)):
        return message
    call_id = call_id_of(message)
    told = f"{call_id}: {text.count(chr(10)) + 1} lines, digested; read_result shows them again"
    if text.startswith(NOTHING):
        told = f"{call_id}: {NOTHING}"
    return message.model_copy(update={"content": told})


def _tail(rest: list[AnyMessage]) -> int:
    """Where the last messages begin; an answer is never parted from the message that asked."""
    at = max(0, len(rest) - VERBATIM)
    while at > 0 and isinstance(rest[at], ToolMessage):
        at -= 1
    return at


def _within(message: ToolMessage, most: int) -> ToolMessage:
    opening, text, closing = inside(message)
    shorter = cut(text, most, call_id_of(message))
    return message.model_copy(update={"content": f"{opening}{shorter.text}{closing}"}) if shorter.was_cut else message


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
