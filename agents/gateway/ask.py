"""One call that somebody makes of the gateway, and what has become of it so far."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata

from agents.gateway.profiles import Rung
from agents.gateway.tier import Key, Tier
from domain.model_call import CallRecord

_PATIENCE: Final = 3  # times the time-out of one request: so long a call may take with all its attempts


@dataclass(frozen=True)
class Who:
    """Who makes the call."""

    investigation: str = ""
    agent: str = ""
    turn: int = 0
    deadline: float | None = None  # on the monotonic clock

    @classmethod
    def of(cls, metadata: Mapping[str, Any] | None) -> "Who":
        """As the metadata of the call's config says."""
        given = metadata or {}
        deadline = given.get("deadline")
        return cls(
            str(given.get("investigation") or ""), str(given.get("agent") or ""), int(given.get("turn") or 0),
            float(deadline) if deadline is not None else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Ask:
    """What is asked: with tools, for one JSON object, or neither."""

    messages: Sequence[BaseMessage]
    who: Who
    tools: tuple[dict[str, Any], ...] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(eq=False)
class Call:
    """One ask on its way: how often it was tried, and what went wrong."""

    ask: Ask
    tier: Tier
    estimated: int  # tokens of the prompt
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=time.monotonic)
    attempts: int = 0
    met: Counter[str] = field(default_factory=Counter)  # failure classes of attempts
    key: Key = field(default_factory=Key)
    limit: int = 0  # tokens of the answer, where it was raised; 0: the usual
    below: Rung | None = None  # a form of answer that this call has given up, without knowing that it was to blame
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def left(self) -> float:
        """Seconds until it must have ended."""
        end = self.started + _PATIENCE * self.tier.timeout_seconds
        given = self.ask.who.deadline
        return (end if given is None else min(end, given)) - time.monotonic()

    def answered(self, message: AIMessage) -> None:
        """Count what an answer took; of several attempts the sum is paid."""
        usage = message.usage_metadata
        if usage is not None:
            self.prompt_tokens += usage["input_tokens"]
            self.completion_tokens += usage["output_tokens"]

    @property
    def paid(self) -> UsageMetadata:
        """Of all attempts."""
        asked, said = self.prompt_tokens, self.completion_tokens
        return UsageMetadata(input_tokens=asked, output_tokens=said, total_tokens=asked + said)

    def record(self, failure: str, window: int) -> CallRecord:
        """The call as it is logged."""
        who, tier = self.ask.who, self.tier
        return CallRecord(
            investigation=who.investigation, agent=who.agent, turn=who.turn, model=tier.model, tier=tier.name,
            started_at=self.started_at, seconds=time.monotonic() - self.started,
            prompt_tokens=self.prompt_tokens, completion_tokens=self.completion_tokens, estimated=self.estimated,
            window_share=round(self.estimated / window, 4),
            cost=tier.price.of(self.prompt_tokens, self.completion_tokens), failure=failure, attempts=self.attempts,
            key=self.key.hash,
        )  # fmt: skip
