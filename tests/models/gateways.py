"""A gateway to a scripted server, with a key pool and a log in memory."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import SecretStr

from agents.gateway.build import gateway
from agents.gateway.gateway import Gateway
from agents.gateway.known import Memory
from agents.gateway.retry import RULES
from agents.gateway.tier import Key, Tier, Wait
from domain.errors import ModelFailed
from domain.model_call import CallRecord

TOOL = {
    "type": "function",
    "function": {
        "name": "logs_search", "description": "Search the logs.",
        "parameters": {"type": "object", "properties": {"grep": {"type": "string"}}, "additionalProperties": False},
    },
}  # fmt: skip
SCHEMA = {
    "type": "object", "properties": {"cause": {"type": "string"}}, "required": ["cause"],
    "additionalProperties": False,
}  # fmt: skip
PROMPT: list[BaseMessage] = [SystemMessage("You look for causes."), HumanMessage("Why is it down?")]
CONFIG: Any = {"metadata": {"investigation": "i1", "agent": "log", "turn": 2, "deadline": None}}


@dataclass
class Keys:
    """A pool in memory: who rests is not given out, and nobody waits for real."""

    secrets: list[str] = field(default_factory=lambda: ["key-one"])
    rested: dict[str, tuple[float, str]] = field(default_factory=dict)
    disabled: dict[str, str] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)

    async def take(self, investigation: str) -> Key | Wait:
        usable = [secret for secret in self.secrets if secret not in self.disabled]
        if not usable:
            raise ModelFailed("auth", f"all keys are disabled: {'; '.join(self.disabled.values())}")
        free = [secret for secret in usable if self.rested.get(secret, (0.0, ""))[0] == 0]
        if not free:
            seconds, failure = min(self.rested.values())
            self.rested = {} if seconds < 1 else self.rested
            return Wait(seconds, failure)
        self.taken.append(free[0])
        return Key(SecretStr(free[0]), free[0][-3:])

    async def rest(self, key: Key, seconds: float, failure: str) -> None:
        self.rested[key.secret.get_secret_value()] = (seconds, failure)

    async def disable(self, key: Key, why: str) -> None:
        self.disabled[key.secret.get_secret_value()] = why


@dataclass
class Log:
    """A log in memory."""

    records: list[CallRecord] = field(default_factory=list)

    async def add(self, record: CallRecord) -> None:
        self.records.append(record)

    @property
    def failures(self) -> list[str]:
        return [record.failure for record in self.records]


@dataclass
class Bench:
    """A gateway and what it works with."""

    gateway: Gateway
    keys: Keys
    log: Log
    memory: Memory

    async def ask(self, messages: list[BaseMessage] | None = None, **config: Any) -> AIMessage:
        return await self.gateway.ainvoke(messages or PROMPT, self.config(**config))

    async def with_tools(self, messages: list[BaseMessage] | None = None, **config: Any) -> AIMessage:
        return await self.gateway.bind_tools([TOOL]).ainvoke(messages or PROMPT, self.config(**config))

    async def for_object(self, messages: list[BaseMessage] | None = None, **config: Any) -> AIMessage:
        return await self.gateway.bind(schema=SCHEMA).ainvoke(messages or PROMPT, self.config(**config))

    @staticmethod
    def config(**given: Any) -> Any:
        return {"metadata": CONFIG["metadata"] | given}


@asynccontextmanager
async def bench(url: str, *, secrets: tuple[str, ...] = ("key-one",), **tier: Any) -> AsyncIterator[Bench]:
    """A gateway to the server at the address; further arguments are fields of its tier."""
    keys, log, memory = Keys(list(secrets)), Log(), dict[Any, Any]()
    async with httpx2.AsyncClient() as client:
        made = gateway(Tier(**{"name": "fast", "base_url": url, "model": "m1"} | tier), keys, log, client, memory)
        yield Bench(made, keys, log, memory)


@contextmanager
def hasty() -> Iterator[None]:
    """Pauses between attempts are next to nothing meanwhile."""
    before = dict(RULES)
    RULES.update({kind: replace(rule, pause=min(rule.pause, 0.001)) for kind, rule in before.items()})
    try:
        yield
    finally:
        RULES.update(before)
