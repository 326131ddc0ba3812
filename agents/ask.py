"""One call of a model: what is sent of the history, within its window, its time and its tokens."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable

from agents.answer import SCHEMA
from agents.gateway.failures import Failure
from agents.gateway.tokens import prompt_tokens
from agents.history import Room, Sent, sent
from agents.offered import Presets, offer
from domain.errors import ModelFailed, TimeLimit, TokenLimit
from domain.tool import ToolSpec
from tools.call import Limits

log = logging.getLogger(__name__)
WINDOW: Final = 32_768  # tokens of a model that does not say
ANSWER: Final = 1_500  # tokens kept free for an answer; of a small window a quarter
CHARS: Final = 3  # characters of a result that are counted as a token
RESULT_SHARE: Final = 1 / 8  # of the window that one result may take; a turn may return some of them (Limits)
AGENT_SHARE: Final = 2.0  # windows' worth of results that one agent may be shown: older ones have become a line
TOOLS_TOKENS: Final = 340  # that the offered tools' schemas may take: they are paid for with every call
TOOLS_SHARE: Final = 0.4  # of a small window
CALL_SECONDS: Final = 90.0  # one call with the gateway's own retries
NO_ANSWER: Final = "the model gave no answer within {seconds:.0f} s"
CONCLUDING_SHARE: Final = 0.25  # of an agent's time, kept for its last call


@dataclass(frozen=True)
class Voice:
    """A model with the limits of one agent's run."""

    model: BaseChatModel
    agent: str
    investigation: str
    tools: Mapping[str, ToolSpec]  # candidates, best first
    presets: Presets
    seconds: float  # that the agent has in all
    deadline: float  # its end, on the monotonic clock
    tokens: int  # that its calls may take in all
    easy_share: float  # of the window, above which notes take the place of older messages
    done: frozenset[str] = frozenset()  # tools that have nothing more to say

    @property
    def window(self) -> int:
        """Tokens of prompt and answer together."""
        return int(getattr(self.model, "window", 0) or WINDOW)

    @property
    def answer(self) -> int:
        """Tokens kept free for an answer."""
        return min(ANSWER, self.window // 4)

    def tokens_of(self, messages: Sequence[BaseMessage]) -> int:
        """Our count or the model's own, learned one, whichever is more careful."""
        learned = getattr(self.model, "estimate", None)
        return max(prompt_tokens(messages), learned(messages) if learned else 0)

    def limits(self, given: Limits) -> Limits:
        """The budgets of results, by the window where that is less."""
        result = max(given.floor_chars, int(self.window * RESULT_SHARE) * CHARS)
        agent = int(self.window * AGENT_SHARE) * CHARS
        return replace(
            given, result_chars=min(given.result_chars, result), agent_chars=min(given.agent_chars, agent)
        )  # fmt: skip

    def time_left(self, *, concluding: bool) -> float:
        """Seconds until the next call must have ended."""
        until = self.deadline - (0.0 if concluding else CONCLUDING_SHARE * self.seconds)
        return min(CALL_SECONDS, until - time.monotonic())


@dataclass(frozen=True)
class Prompt:
    """What one call would send."""

    sent: Sent
    tools: list[dict[str, Any]]  # none bound where it is empty
    tokens: int  # of all of it
    fits: bool


def prompt(messages: Sequence[AnyMessage], voice: Voice, left: int, *, concluding: bool, too_long: int = 0) -> Prompt:
    """The call that these messages make, with at most `left` tokens to spend; `too_long` is what the server refused."""
    tools = [] if concluding else offered(voice)
    taken = prompt_tokens((), tools)
    most = min(voice.window, left) - voice.answer - taken
    wanted = min(most, too_long * 2 // 3 - taken) if too_long else most
    room = Room(wanted, int(voice.window * voice.easy_share) - taken)
    found = sent(messages, room, voice.tokens_of, tight=bool(too_long))
    return Prompt(found, tools, found.tokens + taken, fits=found.tokens <= most)


def offered(voice: Voice) -> list[dict[str, Any]]:
    """The best candidates that have something to say, as far as there is room; as they are done, others come in."""
    room = min(TOOLS_TOKENS, int(TOOLS_SHARE * voice.window))
    kept: list[str] = []
    for name in (name for name in voice.tools if name not in voice.done):
        more = [*kept, name]
        if prompt_tokens((), offer({each: voice.tools[each] for each in more}, voice.presets)) <= room:
            kept = more
    return offer({name: voice.tools[name] for name in kept}, voice.presets) if kept else []


def affordable(messages: Sequence[AnyMessage], voice: Voice, spent: int) -> bool:
    """Whether a call with tools leaves enough for the call that concludes."""
    left = voice.tokens - spent
    next_call = prompt(messages, voice, left, concluding=False)
    after = next_call.sent.tokens + 2 * voice.answer  # the same again, with what the calls return, and the answer
    return bool(next_call.tools) and next_call.fits and next_call.tokens + voice.answer + after <= left


async def ask(
    messages: Sequence[AnyMessage], voice: Voice, *, turn: int, spent: int, demand: str = ""
) -> tuple[AIMessage, int]:
    """The model's answer and what it took in tokens. With a demand no tools are bound: it must conclude.

    Raises ModelFailed, TimeLimit, TokenLimit.
    """
    told = [*messages, HumanMessage(demand)] if demand else messages
    left = voice.tokens - spent
    call = prompt(told, voice, left, concluding=bool(demand))
    try:
        return await _call(call, voice, turn)
    except ModelFailed as exc:
        shorter = prompt(told, voice, left, concluding=bool(demand), too_long=call.tokens)
        if exc.kind != Failure.CONTEXT_OVERFLOW or shorter.tokens >= call.tokens:
            raise
        log.warning("%s: the context overflowed at %d estimated tokens; once more, with less", voice.agent, call.tokens)
    return await _call(shorter, voice, turn)


async def _call(call: Prompt, voice: Voice, turn: int) -> tuple[AIMessage, int]:
    if not call.fits:
        raise TokenLimit(f"what the {voice.agent} agent must send takes {call.tokens} tokens: more than is left for it")
    seconds = voice.time_left(concluding=not call.tools)
    if seconds <= 0:
        raise TimeLimit(f"the {voice.agent} agent's time is used up")
    _watermark(call, voice, turn)
    try:
        async with asyncio.timeout(seconds):
            answer = await _bound(call, voice).ainvoke(call.sent.messages, config=_config(voice, turn, seconds))
    except TimeoutError as exc:
        raise TimeLimit(NO_ANSWER.format(seconds=seconds)) from exc
    return answer, _spent(answer, call)


def _bound(call: Prompt, voice: Voice) -> Runnable[Any, AIMessage]:
    return voice.model.bind_tools(call.tools) if call.tools else voice.model.bind(schema=SCHEMA)


def _config(voice: Voice, turn: int, seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    told = {"investigation": voice.investigation, "agent": voice.agent, "turn": turn, "deadline": deadline}
    return {"metadata": told}


def _watermark(call: Prompt, voice: Voice, turn: int) -> None:
    log.info(
        "%s: model call %d: about %d tokens, %.0f%% of the window of %d; %d results shortened, %d messages as notes%s",
        voice.agent, turn, call.tokens, 100 * call.tokens / voice.window, voice.window, call.sent.digested,
        call.sent.noted, ", the last results cut" if call.sent.cut else "",
    )  # fmt: skip


def _spent(answer: AIMessage, call: Prompt) -> int:
    """What the server counted, or our estimate where it did not."""
    usage = answer.usage_metadata
    return usage["total_tokens"] if usage else call.tokens + prompt_tokens([answer])
