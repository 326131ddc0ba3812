"""The models of one process: a gateway per tier, over keys and a log in the database."""

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx2
from langchain_core.messages import HumanMessage

from agents.files import AgentFile
from agents.gateway.build import gateway
from agents.gateway.failures import Failure
from agents.gateway.gateway import Gateway
from agents.gateway.known import Memory
from agents.gateway.probe import probed
from agents.gateway.tier import Key, Tier, Wait
from app.model_settings import TierName
from app.settings import Settings
from domain.errors import ModelFailed
from domain.model_call import CallRecord
from store import model_calls, model_keys
from store.database import Database
from store.model_keys import Resting

log = logging.getLogger(__name__)
_SHOWN: Final = 8  # digits of a key's hash
_HOMES: Final = 1000  # investigations whose key is remembered
_PROBE_SECONDS: Final = 20.0


@dataclass
class Keys:
    """The keys of one tier, shared with all workers through the database.

    An investigation stays with its key, whose owner has its prompts cached; a new one gets the one unused for longest.
    """

    database: Database
    tier: str
    by_hash: Mapping[str, Key]
    patience: float  # seconds to wait for a database that is away
    _homes: dict[str, str] = field(default_factory=dict)

    async def take(self, investigation: str) -> Key | Wait:
        """A key to use now. Raises ModelFailed when all are disabled."""
        hashes, preferred = list(self.by_hash), self._homes.get(investigation, "")
        found = await self.database.patiently(lambda c: model_keys.take(c, hashes, preferred), self.patience)
        if found is None:
            told = f"every key of the tier {self.tier} is disabled: `fishbone doctor` says why, and tries them again"
            raise ModelFailed(Failure.AUTH, told)
        if isinstance(found, Resting):
            return Wait(found.seconds, found.failure or Failure.RATE_LIMIT)
        self._homes.setdefault(investigation, found)
        if len(self._homes) > _HOMES:
            self._homes.pop(next(iter(self._homes)))
        return self.by_hash[found]

    async def rest(self, key: Key, seconds: float, failure: str) -> None:
        """Nobody is to use the key for so long."""
        hash = self._hash(key)
        await self.database.patiently(lambda c: model_keys.rest(c, hash, seconds, failure), self.patience)

    async def disable(self, key: Key, why: str) -> None:
        """The key is not valid."""
        hash = self._hash(key)
        log.error("a key of the tier %s is disabled: %s", self.tier, why)
        await self.database.patiently(lambda c: model_keys.disable(c, hash, why), self.patience)

    async def enable(self, key: Key) -> None:
        """The key was seen to work."""
        hash = self._hash(key)
        await self.database.patiently(lambda c: model_keys.enable(c, hash), self.patience)

    def _hash(self, key: Key) -> str:
        return next(hash for hash, known in self.by_hash.items() if known == key)


@dataclass(frozen=True)
class One:
    """A single key of a pool, free or not: to see whether it works."""

    keys: Keys
    key: Key

    async def take(self, investigation: str) -> Key | Wait:  # noqa: ARG002 - it is the same for all
        """That key."""
        return self.key

    async def rest(self, key: Key, seconds: float, failure: str) -> None:
        """As the pool does."""
        await self.keys.rest(key, seconds, failure)
        raise ModelFailed(failure, f"the key is to rest for {seconds:.0f} s")

    async def disable(self, key: Key, why: str) -> None:
        """As the pool does."""
        await self.keys.disable(key, why)
        raise ModelFailed(Failure.AUTH, why)


@dataclass(frozen=True)
class Log:
    """model_call_log."""

    database: Database
    patience: float

    async def add(self, record: CallRecord) -> None:
        """Keep one record; while the database is away, wait for it."""
        await self.database.patiently(lambda c: model_calls.add(c, record), self.patience)


@dataclass(frozen=True)
class Models:
    """What is configured, ready to be asked."""

    tiers: Mapping[TierName, Gateway]
    keys: Mapping[TierName, Keys]
    agents: Mapping[str, Gateway]  # each agent's; empty where no model is configured

    def __bool__(self) -> bool:
        return bool(self.tiers)


NO_MODELS: Final = Models({}, {}, {})


@asynccontextmanager
async def open_models(settings: Settings, database: Database, agents: Mapping[str, AgentFile]) -> AsyncIterator[Models]:
    """The gateways, their windows asked for. Raises MissingSetting when an agent asks for a tier that is not set."""
    tiers = settings.tiers()
    uses = {name: settings.tier_for(file.tier, f"the agent {name}") for name, file in agents.items()} if tiers else {}
    memory: Memory = {}
    async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None)) as client:
        keys = {name: await _keys(settings, database, name, tier) for name, tier in tiers.items()}
        used = [hash for each in keys.values() for hash in each.by_hash]
        if used:
            await database.patiently(lambda c: model_keys.forget(c, used), settings.patience_seconds)
        logged = Log(database, settings.patience_seconds)
        made = {name: gateway(tier, keys[name], logged, client, memory) for name, tier in tiers.items()}
        await asyncio.gather(*(_probe(made[name], keys[name], client) for name in made))
        yield Models(made, keys, {agent: made[name] for agent, name in uses.items()})


async def check(models: Models, name: TierName) -> tuple[str, str]:
    """Whether the model answers with each of its keys: ok or degraded, and what there is to say. Takes a few tokens."""
    of, keys = models.tiers[name], models.keys[name]
    told = [await _tried(of, keys, hash, key) for hash, key in keys.by_hash.items()]
    problems = [problem for _, problem in told if problem]
    fastest = min((seconds for seconds, problem in told if not problem), default=0.0)
    about = f"{of.tier.model} ({of.known.profile.name}), window {of.window}"
    if problems:
        return "degraded", f"{about}: {'; '.join(problems)}"
    return "ok", f"{about}: answers in {fastest:.1f} s, {_count(keys)}"


def _count(keys: Keys) -> str:
    secrets = sum(bool(key.secret.get_secret_value()) for key in keys.by_hash.values())
    return {0: "no key", 1: "1 key"}.get(secrets, f"{secrets} keys")


async def _tried(of: Gateway, keys: Keys, hash: str, key: Key) -> tuple[float, str]:
    began = time.monotonic()
    alone = of.model_copy(update={"pool": One(keys, key)})
    who = {"investigation": "doctor", "agent": "doctor", "deadline": began + _PROBE_SECONDS}
    try:
        await alone.ainvoke([HumanMessage("Answer with the one word: ok")], {"metadata": who})
    except ModelFailed as exc:
        return 0.0, f"{exc.kind}: {exc}" if len(keys.by_hash) == 1 else f"key {hash[:_SHOWN]}: {exc.kind}: {exc}"
    await keys.enable(key)
    return time.monotonic() - began, ""


async def _keys(settings: Settings, database: Database, name: TierName, tier: Tier) -> Keys:
    secrets = settings.keys_of(name)
    hashes = [hashlib.sha256(f"{tier.base_url} {secret.get_secret_value()}".encode()).hexdigest() for secret in secrets]
    await database.patiently(lambda c: model_keys.know(c, hashes, tier.base_url), settings.patience_seconds)
    by_hash = {
        hash: Key(secret, hash[:_SHOWN] if secret.get_secret_value() else "")
        for hash, secret in zip(hashes, secrets, strict=True)
    }
    return Keys(database, name, by_hash, settings.patience_seconds)


async def _probe(of: Gateway, keys: Keys, client: httpx2.AsyncClient) -> None:
    first = next(iter(keys.by_hash.values()))
    window = await probed(of.tier, of.known, first, client)
    log.info("%s: window %d, %s", of.tier.model, of.window, "asked of the server" if window else "as it is set")
