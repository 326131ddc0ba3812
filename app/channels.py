"""The ways to tell people. Each raises NotDelivered and nothing else, and never follows where it is sent elsewhere."""

import asyncio
import importlib
import json
import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

import httpx2

from app.channel_settings import Channel
from app.messages import Message
from app.settings import Settings
from domain.errors import NotDelivered
from mcp_servers.live.targets import Allowed, parse

NEEDS_APPRISE: Final = "apprise is not installed: add it with pip install 'fishbone[notify]'"
_TRY_AGAIN: Final = (408, 425, 429)  # beside 5xx
_IN_A_NAME: Final = re.compile(r"[^\w.-]+")


class Sender(Protocol):
    """One way."""

    async def send(self, message: Message) -> None:
        """Tell it. Raises NotDelivered."""

    def problem(self) -> str:
        """Why it cannot work as it is set up; empty where nothing is known against it."""


@dataclass(frozen=True)
class Folder:
    """Reports as files: <incident>/report-v<version>.md and .json, each written beside and renamed."""

    folder: Path

    async def send(self, message: Message) -> None:
        """Write the report; there is no file of a first word."""
        try:
            await asyncio.to_thread(self._write, message)
        except OSError as exc:
            raise NotDelivered(f"{self.folder}: cannot be written: {exc.strerror}", again=True) from exc

    def problem(self) -> str:
        """A folder that nobody may write to."""
        place = next(path for path in (self.folder, *self.folder.parents) if path.exists())
        return "" if place.is_dir() and os.access(place, os.W_OK) else f"{self.folder} cannot be written"

    def _write(self, message: Message) -> None:
        if message.report is None:
            return
        place = self.folder / (_IN_A_NAME.sub("_", message.incident_id).strip(".") or "incident")
        place.mkdir(parents=True, exist_ok=True)
        name = f"report-v{message.version}"
        _put(place / f"{name}.json", json.dumps(message.report.report, ensure_ascii=False, indent=1, sort_keys=True))
        _put(place / f"{name}.md", message.report.markdown)


def _put(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.partly")
    beside.write_text(f"{text.rstrip()}\n", encoding="utf-8")
    beside.replace(path)


@dataclass(frozen=True)
class Webhook:
    """A JSON object is posted."""

    channel: Channel
    allowed: Allowed

    async def send(self, message: Message) -> None:
        """Post it; redirects are not followed, since they would lead past the allow-list."""
        if refused := self.problem():
            raise NotDelivered(refused, again=False)
        token = self.channel.token
        headers = {"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}
        try:
            async with httpx2.AsyncClient(timeout=self.channel.timeout_seconds, trust_env=False) as client:
                answer = await client.post(self.channel.webhook, json=message.payload, headers=headers)
        except httpx2.HTTPError as exc:
            said = " ".join(str(exc).split())[:200] or type(exc).__name__
            raise NotDelivered(f"{self._host}: {said}", again=True) from exc
        if not 200 <= answer.status_code < 300:
            again = answer.status_code >= 500 or answer.status_code in _TRY_AGAIN
            raise NotDelivered(f"{self._host}: answered {answer.status_code}", again=again)

    def problem(self) -> str:
        """A host that the settings do not allow."""
        try:
            refused = self.allowed.refusal(parse(self.channel.webhook))
        except ValueError as exc:
            return str(exc)
        return f"notify_allow does not list {self._host}" if refused else ""

    @property
    def _host(self) -> str:
        """Who is posted to; a path or query may hold a secret."""
        return httpx2.URL(self.channel.webhook).netloc.decode("ascii", "replace").rpartition("@")[2]


@dataclass(frozen=True)
class Service:
    """Slack, Teams, Matrix, e-mail, ntfy, PagerDuty and the rest that apprise knows."""

    channel: Channel

    async def send(self, message: Message) -> None:
        """Hand it to apprise, which is synchronous and keeps its errors to itself."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: Message) -> None:
        if wrong := self.problem():
            raise NotDelivered(wrong, again=False)
        if not self._target().notify(body=message.text, title=message.title, body_format="markdown"):
            raise NotDelivered(f"{self._scheme}: apprise could not deliver it", again=True)

    def problem(self) -> str:
        """apprise is missing, or does not know such a URL."""
        if find_spec("apprise") is None:
            return NEEDS_APPRISE
        return "" if len(self._target()) else f"{self._scheme}: apprise does not understand the URL"

    def _target(self) -> Any:
        # an extra that may be missing, and takes a second to import
        target = importlib.import_module("apprise").Apprise()
        target.add(self._url)
        return target

    @property
    def _url(self) -> str:
        return self.channel.apprise.get_secret_value() if self.channel.apprise else ""

    @property
    def _scheme(self) -> str:
        """The rest of the URL is a secret."""
        return self._url.partition("://")[0][:20]


def senders(settings: Settings) -> dict[str, Sender]:
    """Every channel of the settings by name."""
    allowed = Allowed(settings.notify_allow.split(","))
    return {name: _sender(channel, allowed) for name, channel in sorted(settings.notify.items())}


def _sender(channel: Channel, allowed: Allowed) -> Sender:
    if channel.folder is not None:
        return Folder(channel.folder.expanduser())
    return Webhook(channel, allowed) if channel.webhook else Service(channel)
