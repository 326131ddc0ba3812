"""Amazon SNS asks whether a subscription is meant: refused, unless the settings name its topic."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

import httpx2

from alerts import reading
from domain.codec import Json
from domain.errors import BadAlert

_HOST: Final = re.compile(r"sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?")
_SECONDS: Final = 10.0
Fetch = Callable[[str], Awaitable[int]]  # the status that an address answers with


async def fetch(address: str) -> int:
    """Get the address once, following nothing."""
    async with httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client:
        return (await client.get(address)).status_code


def asks(body: Json) -> bool:
    """Whether the post is a handshake and not an alert."""
    return reading.text(reading.at(body, "Type")) == "SubscriptionConfirmation"


async def answer(body: Json, topics: Sequence[str], get: Fetch = fetch) -> str:
    """What was done about it, in one line; nothing outside Amazon's own addresses is ever fetched."""
    topic, address = reading.text(reading.at(body, "TopicArn")), str(reading.at(body, "SubscribeURL") or "")
    if topic not in topics:
        return f"SNS asks to confirm {topic}: refused, since confirm_topics of this sender does not name it"
    parts = urlsplit(address)
    if parts.scheme != "https" or parts.netloc != parts.hostname or not _HOST.fullmatch(parts.hostname or ""):
        raise BadAlert("SubscribeURL is no https address of sns.REGION.amazonaws.com")
    try:
        status = await get(address)
    except httpx2.HTTPError as exc:
        raise BadAlert(f"{parts.hostname} could not be asked to confirm: {exc}") from exc
    if status >= 400:
        raise BadAlert(f"{parts.hostname} answered {status} to the confirmation")
    return f"SNS: the subscription of {topic} is confirmed"
