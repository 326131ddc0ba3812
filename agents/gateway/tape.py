"""Records what a model replies, redacted; and plays a recording back in the place of the model."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import SkipValidation

from agents.ask import NO_ANSWER
from agents.gateway.async_chat import AsyncChat
from agents.gateway.failures import Failure
from agents.gateway.tokens import prompt_tokens
from agents.react import AT_LIMIT
from bundle.recording import ReplyRecord
from domain.codec import Json, digest
from domain.errors import ModelFailed, TimeLimit

CUT_OFF: Final = "time"  # failure of a call that its agent gave up waiting for
_TOLD: Final = ("model", "finish_reason", "reasoning")  # some providers want their reasoning sent back
Keep = Callable[[ReplyRecord], Awaitable[None]]


async def kept_nowhere(record: ReplyRecord) -> None:
    """The tape alone holds it."""


@dataclass
class Tape:
    """All replies of one pass."""

    clean: Callable[[Json], Json]  # redaction
    keep: Keep = kept_nowhere  # where each is stored, too
    records: list[ReplyRecord] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Of all prompts and answers."""
        return sum((record.reply or {}).get("usage", {}).get("total_tokens", 0) for record in self.records)

    @property
    def cost(self) -> float:
        """In the currency of the prices in the settings."""
        return round(sum(record.cost for record in self.records), 6)

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each call that gave no answer."""
        return tuple(f"{r.agent}: {r.failure}: {r.error}" for r in self.records if r.failure)


class Taped(AsyncChat):
    """A model whose replies are recorded. Its estimate changes only with its own replies, so that a replay decides
    alike."""

    inner: SkipValidation[BaseChatModel]
    tape: SkipValidation[Tape]
    correction: float = 1.0

    @property
    def _llm_type(self) -> str:
        return "fishbone-taped"

    @property
    def window(self) -> int:
        """Tokens of prompt and answer together."""
        return int(getattr(self.inner, "window", 0))

    def estimate(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
        """Tokens that a prompt will take."""
        return round(prompt_tokens(messages, tools) * self.correction)

    async def _reply(self, messages: list[BaseMessage], given: dict[str, Any], **bound: Any) -> AIMessage:
        self.correction = correction_of(self.inner)
        call = _Call(self, given, request_of(messages, bound), bool(bound.get("tools")))
        inner = self.inner.bind_tools(bound["tools"]) if bound.get("tools") else self.inner.bind(**bound)
        try:
            message = await inner.ainvoke(messages, config={"metadata": given})
        except ModelFailed as exc:
            await self._add(call.record(failure=exc.kind, error=str(self.tape.clean(str(exc)))))
            raise
        except (asyncio.CancelledError, TimeLimit) as exc:
            await self._add(call.record(failure=CUT_OFF, error=str(exc) or call.too_slow))
            raise
        reply = self.tape.clean(plain_reply(message))
        await self._add(call.record(reply=reply, cost=cost_of(self.inner, message)))
        return message_of(reply)

    async def _add(self, record: ReplyRecord) -> None:
        self.tape.records.append(record)
        await self.tape.keep(record)


@dataclass
class _Call:
    """One call that is on its way."""

    of: Taped
    given: dict[str, Any]  # the metadata of its config
    request: str
    tools: bool
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun: float = field(default_factory=time.monotonic)

    @property
    def too_slow(self) -> str:
        """What its agent says when it stops waiting."""
        deadline = self.given.get("deadline")
        return NO_ANSWER.format(seconds=deadline - self.begun) if deadline else ""

    def record(self, **told: Any) -> ReplyRecord:
        """It has ended."""
        return ReplyRecord(
            agent=str(self.given.get("agent", "")), turn=int(self.given.get("turn") or 0),
            model=str(self.of.name or ""), request=self.request, tools=self.tools, window=self.of.window,
            correction=self.of.correction,
            started_at=self.started_at.isoformat(), seconds=round(time.monotonic() - self.begun, 6), **told,
        )  # fmt: skip


class Playback(AsyncChat):
    """Answers one agent from a recording, in the order of its calls; where there was no time for tools, by what was
    asked. What was known of the model when a reply was recorded is known when it is given."""

    left: SkipValidation[deque[ReplyRecord]]
    missed: SkipValidation[list[str]]  # calls that the recording could not answer
    window: int = 0
    cost: float = 0.0  # of the reply that was given last

    @classmethod
    def each(cls, records: Iterable[ReplyRecord], agents: Iterable[str]) -> dict[str, "Playback"]:
        """One for each agent, of the replies of a recording."""
        waiting: dict[str, deque[ReplyRecord]] = {agent: deque() for agent in agents}
        for record in records:
            waiting.setdefault(record.agent, deque()).append(record)
        name = next((record.model for left in waiting.values() for record in left), "")
        return {
            agent: cls(name=name, left=left, missed=[], window=left[0].window if left else 0)
            for agent, left in waiting.items()
        }

    @property
    def _llm_type(self) -> str:
        return "fishbone-playback"

    @property
    def correction(self) -> float:
        """As it stood when the next call was recorded."""
        return self.left[0].correction if self.left else 1.0

    async def _reply(self, messages: list[BaseMessage], given: dict[str, Any], **bound: Any) -> AIMessage:
        if not self.left:
            agent = str(given.get("agent", ""))
            self.missed.append(f"{agent}: a reply of {self.name}")
            raise ModelFailed(Failure.BAD_REQUEST, f"the recording holds no further reply to the {agent} agent")
        if bound.get("tools") and not self.left[0].tools and self.left[0].request != request_of(messages, bound):
            raise TimeLimit(AT_LIMIT)  # then it was time that ended the agent's tools, and a replay has all the time
        record = self.left.popleft()
        self.window, self.cost = record.window, record.cost
        if record.failure == CUT_OFF:
            raise TimeLimit(record.error or AT_LIMIT)
        if record.failure:
            raise ModelFailed(record.failure, record.error)
        return message_of(record.reply)


def correction_of(model: BaseChatModel) -> float:
    """How far our estimate of tokens is from the model's own count, as far as is known."""
    of = model if isinstance(model, Playback) else getattr(model, "known", None)
    return float(getattr(of, "correction", 1.0))


def cost_of(model: BaseChatModel, message: AIMessage) -> float:
    """What the reply cost, where its tier has prices."""
    if isinstance(model, Playback):
        return model.cost
    price, usage = getattr(getattr(model, "tier", None), "price", None), message.usage_metadata
    return float(price.of(usage["input_tokens"], usage["output_tokens"])) if price and usage else 0.0


def request_of(messages: Sequence[BaseMessage], bound: dict[str, Any]) -> str:
    """A digest of what is asked. Ids are left out: some servers give none, and ours are random."""
    said = [
        [m.type, m.text, [[c["name"], c["args"]] for c in m.tool_calls] if isinstance(m, AIMessage) else []]
        for m in messages
    ]
    return digest([said, [tool["function"]["name"] for tool in bound.get("tools") or ()]])


def plain_reply(message: AIMessage) -> Json:
    """A reply as plain JSON."""
    calls = [{"name": call["name"], "args": call["args"], "id": call["id"]} for call in message.tool_calls]
    broken = [{key: call.get(key) for key in ("name", "args", "id", "error")} for call in message.invalid_tool_calls]
    told = {key: value for key, value in message.response_metadata.items() if key in _TOLD}
    return {
        "content": str(message.text), "tool_calls": calls, "invalid_tool_calls": broken, "told": told,
        "usage": {key: value for key, value in (message.usage_metadata or {}).items() if isinstance(value, int)},
    }  # fmt: skip


def message_of(reply: Json) -> AIMessage:
    """The message that a recorded reply was."""
    return AIMessage(
        reply.get("content", ""), tool_calls=reply.get("tool_calls", []),
        invalid_tool_calls=reply.get("invalid_tool_calls", []), usage_metadata=reply.get("usage") or None,
        response_metadata=reply.get("told", {}),
    )  # fmt: skip
