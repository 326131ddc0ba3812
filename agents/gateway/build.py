"""Builds the gateway to one model."""

from langchain_openai.chat_models.base import BaseChatOpenAI

from agents.gateway.gateway import Gateway
from agents.gateway.tier import CallLog, KeyPool, Tier


def gateway(tier: Tier, pool: KeyPool, log: CallLog) -> Gateway:
    """The gateway to the model of a tier."""
    model = BaseChatOpenAI(model=tier.model, base_url=tier.base_url, api_key="none", max_retries=0)
    return Gateway(name=tier.model, tier=tier, model=model, pool=pool, log=log, window=tier.window or 8192)
