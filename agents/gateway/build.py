"""Builds the gateway to one model."""

import httpx2

from agents.gateway.gateway import Gateway
from agents.gateway.known import Memory, known_of
from agents.gateway.model import Model
from agents.gateway.tier import CallLog, KeyPool, Tier


def gateway(tier: Tier, pool: KeyPool, log: CallLog, client: httpx2.AsyncClient, memory: Memory) -> Gateway:
    """The gateway to the model of a tier; a process has one client and one memory. Raises BadConfiguration."""
    known = known_of(tier, memory)
    model = Model(
        model=tier.model, base_url=tier.base_url, api_key=_unused, max_retries=0, known=known,
        http_async_client=client, openai_proxy=None, disable_streaming=True,
    )  # fmt: skip
    return Gateway(name=tier.model, tier=tier, model=model, known=known, pool=pool, log=log)


async def _unused() -> str:
    """Each request brings its own key; without this one the client would look for one in the environment."""
    return "unused"
