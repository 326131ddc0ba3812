"""POST /webhooks/{source}: what is answered with 202 is stored, and nothing else is."""

import asyncio
import json
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from alerts import GENERIC, Received, mapping, receive, receivers
from app import sns
from app.auth import Door
from app.limits import Bucket
from app.sender_settings import Sender
from app.settings import Settings
from domain.codec import Json
from domain.errors import BadAlert, BadSignature, StoreUnavailable, UnknownSource, UnreadablePayload

log = logging.getLogger(__name__)
Take = Callable[[Received, str, datetime], Awaitable[tuple[str, ...]]]
LARGE: Final = 200_000  # bytes that are read in a thread
DISCARDED: Final = 8_000_000  # bytes over the limit that are read for nothing: who still writes does not hear a refusal
SLOWEST_BODY: Final = 30.0  # seconds
SLOWEST_STORE: Final = 8.0  # seconds; senders give up after ten
RETRY_AFTER: Final = 5  # seconds
STRANGER: Final = Sender()
_LONGEST_LINE: Final = 300


def utc_now() -> datetime:
    """The clock of the outside."""
    return datetime.now(UTC)


@dataclass
class Refused(Exception):
    """An answer other than 202."""

    status: int
    why: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Webhooks:
    """Takes posts of all sources."""

    settings: Settings
    take: Take
    wake: Callable[[], None]  # the database is away: try to have it back
    clock: Callable[[], datetime] = utc_now
    confirm: sns.Fetch = sns.fetch
    _buckets: dict[str, Bucket] = field(default_factory=dict)
    # Posts are decided one at a time; a second one stands ready while the first is committed, more would only hold
    # connections.
    _two: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter()
        router.add_api_route("/webhooks/{source}", self.post, methods=["POST"], status_code=202)
        return router

    async def post(self, source: str, request: Request) -> JSONResponse:
        """Take the alerts of one post."""
        try:
            return await self._post(source, request)
        except Refused as refused:
            return error(refused.status, refused.why, refused.headers)

    async def _post(self, source: str, request: Request) -> JSONResponse:
        now, sender = self.clock(), self.settings.senders.get(source, STRANGER)
        body = await _read(request, sender.body_bytes or self.settings.body_bytes)
        identity = self._identity(source, request.headers, body, now)
        self._count(source, sender)
        plain = await asyncio.to_thread(parsed, body) if len(body) > LARGE else parsed(body)
        if sns.asks(plain):
            await self._handshake(sender, plain)
        received = _received(plain, source, sender, now)
        if len(received.alerts) > self.settings.post_alerts:
            raise Refused(413, f"{len(received.alerts)} alerts in one post; {self.settings.post_alerts} are taken")
        if not received.alerts:
            log.info("%s: %s", source, "; ".join(received.gaps))
        return JSONResponse({"incident_ids": list(await self._stored(received, identity, now))}, 202)

    def _identity(self, source: str, headers: Mapping[str, str], body: bytes, now: datetime) -> str:
        try:
            return Door(self.settings).webhook(source, headers, body, now)
        except BadSignature as exc:
            wait = self._bucket(f"refused {source}", 10, 50).take()  # who guesses is slowed down, apart from the sender
            if wait:
                raise _too_many(wait) from exc
            raise Refused(401, str(exc), {"WWW-Authenticate": "Bearer"}) from exc

    def _count(self, source: str, sender: Sender) -> None:
        wait = self._bucket(source, sender.rate or self.settings.rate, sender.burst or self.settings.burst).take()
        if wait:
            raise _too_many(wait)

    def _bucket(self, name: str, rate: float, burst: float) -> Bucket:
        if len(self._buckets) > 1000:  # names are a stranger's to choose
            self._buckets.clear()
        return self._buckets.setdefault(name, Bucket(rate, burst))

    async def _handshake(self, sender: Sender, body: Json) -> None:
        try:
            log.warning("%s", await sns.answer(body, sender.confirm_topics, self.confirm))
        except BadAlert as exc:
            raise Refused(422, str(exc)) from exc

    async def _stored(self, received: Received, identity: str, now: datetime) -> tuple[str, ...]:
        if not received.alerts:
            return ()
        try:
            async with asyncio.timeout(SLOWEST_STORE), self._two:
                return await self.take(received, identity, now)
        except (StoreUnavailable, TimeoutError) as exc:
            self.wake()
            log.warning("a post is refused: %s", str(exc) or "the database is too slow")
            why = "the alerts could not be stored; nothing of this post was taken: send it again"
            raise Refused(503, why, {"Retry-After": str(RETRY_AFTER)}) from exc


def error(status: int, why: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal: one clear line."""
    return JSONResponse({"error": " ".join(why.split())[:_LONGEST_LINE]}, status, headers=dict(headers or {}))


def parsed(body: bytes) -> Json:
    """The JSON of a body. Raises Refused."""
    try:
        return json.loads(body, parse_constant=_no_number)
    except RecursionError as exc:
        raise Refused(422, "the body is nested too deeply") from exc
    except ValueError as exc:
        raise Refused(422, f"the body is no JSON: {exc}") from exc


def _no_number(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number")


async def _read(request: Request, limit: int) -> bytes:
    """The body. Raises Refused."""
    body, length = bytearray(), 0
    declared = request.headers.get("content-length", "")
    most = limit + DISCARDED
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for chunk in request.stream():
                length += len(chunk)
                if length <= limit:
                    body += chunk
                elif length > most or (declared.isdecimal() and int(declared) > most):
                    break
    except TimeoutError as exc:
        raise Refused(408, f"the body did not come within {SLOWEST_BODY:.0f} s") from exc
    except ClientDisconnect as exc:
        raise Refused(400, "the body did not come whole") from exc
    if length > limit:
        raise Refused(413, f"the body is longer than {limit} bytes", {"Connection": "close"})
    return bytes(body)


def _received(body: Json, source: str, sender: Sender, now: datetime) -> Received:
    try:
        if sender.mapping is not None:
            return mapping.read(body, now, sender.mapping.paths)
        return receive(body, now, _receiver(source, sender))
    except UnknownSource as exc:
        raise Refused(404, str(exc)) from exc
    except UnreadablePayload as exc:
        raise Refused(422, str(exc)) from exc


def _receiver(source: str, sender: Sender) -> str:
    """Who reads the body: a source that has its own name in the settings need not have a receiver of that name."""
    if sender.receiver or sender is STRANGER:
        return sender.receiver or source
    return source if any(each.name == source for each in receivers()) else GENERIC


def _too_many(wait: float) -> Refused:
    return Refused(429, "too many posts of this source", {"Retry-After": str(max(1, math.ceil(wait)))})
