"""What the settings say of one model, and what the gateway needs of the outside: keys and a log."""

from dataclasses import dataclass, field
from typing import Protocol

from pydantic import SecretStr

from domain.model_call import CallRecord


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in whatever currency the operator counts."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What a call cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True)
class Tier:
    """One configured model."""

    name: str  # fast | deep
    base_url: str  # of the chat-completions API, without a slash at its end
    model: str
    profile: str = ""  # its name in profiles.toml; empty: found by the address
    window: int = 0  # tokens of prompt and answer together; 0: asked of the server, else the profile's
    max_output: int = 0  # tokens of one answer; 0: the profile's
    timeout_seconds: float = 60.0  # of one request
    price: Price = field(default_factory=Price)


@dataclass(frozen=True)
class Key:
    """One API key; an empty secret for a server that wants none."""

    secret: SecretStr = field(default_factory=lambda: SecretStr(""))
    hash: str = ""  # short, for logs


@dataclass(frozen=True)
class Wait:
    """No key is free now."""

    seconds: float  # until one may be
    failure: str  # why they all rest


class KeyPool(Protocol):
    """Whose turn it is among several keys. Shared by all workers, so that each knows of what the others met.

    A server that wants no key has one all the same, the empty one: what is told of it is told of the server.
    """

    async def take(self, investigation: str) -> Key | Wait:
        """A key to use now. Raises ModelFailed when all are disabled."""

    async def rest(self, key: Key, seconds: float, failure: str) -> None:
        """Nobody is to use the key for so long."""

    async def disable(self, key: Key, why: str) -> None:
        """The key is not valid: nobody is to use it until `fishbone doctor` finds that it works again."""


class CallLog(Protocol):
    """Where calls are written down."""

    async def add(self, record: CallRecord) -> None:
        """Keep one record."""
