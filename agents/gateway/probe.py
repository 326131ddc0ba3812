"""Asks a server for the window of its model, in the ways in which servers tell it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import httpx2

from agents.gateway.known import Known
from agents.gateway.tier import Key, Tier

_SECONDS: Final = 3.0
_NAMES: Final = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_PATHS: Final = {"props": "/props", "ollama": "/api/ps"}  # at the root of the server
_MODELS: Final = "/models"  # at the address


async def probed(tier: Tier, known: Known, key: Key, client: httpx2.AsyncClient) -> int:
    """The window that the server tells, kept in what is known; 0 where it tells none or the settings do."""
    if tier.window or not known.profile.probe:
        return 0
    told = await _asked(tier, known.profile.probe, key, client)
    if window := _window(told, tier.model):
        known.window = window
    return window


async def _asked(tier: Tier, how: str, key: Key, client: httpx2.AsyncClient) -> object:
    parts = urlsplit(tier.base_url)
    at = urlunsplit((parts.scheme, parts.netloc, _PATHS[how], "", "")) if how in _PATHS else f"{tier.base_url}{_MODELS}"
    secret = key.secret.get_secret_value()
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    try:
        answer = await client.get(at, headers=headers, timeout=_SECONDS)
        return answer.json() if answer.is_success else None
    except (httpx2.HTTPError, ValueError):  # a server need not tell it
        return None


def _window(told: object, model: str) -> int:
    """Of a list of models that of ours; of anything else what it says itself."""
    if not isinstance(told, Mapping):
        return 0
    listed = told.get("data") or told.get("models")
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        ours = [each for each in listed if isinstance(each, Mapping) and _is(each, model)]
        return next((found for each in ours if (found := _number(each))), 0)
    return _number(told)


def _is(entry: Mapping[str, Any], model: str) -> bool:
    return model in (entry.get("id"), entry.get("name"), entry.get("model"), str(entry.get("name")).partition(":")[0])


def _number(entry: Mapping[str, Any]) -> int:
    inner = (entry.get(name) for name in ("meta", "default_generation_settings"))
    for each in (entry, *(found for found in inner if isinstance(found, Mapping))):
        for name in _NAMES:
            value = each.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 512:
                return value
    return 0
