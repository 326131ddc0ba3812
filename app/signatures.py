"""HMAC signatures of webhooks: which header holds what, as data; one check for all styles."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from alerts import reading
from domain.errors import BadSignature

WINDOW: Final = 300.0  # seconds that a signed time may be off


@dataclass(frozen=True)
class Style:
    """How one sender signs (HMAC with SHA-256 over `signed`)."""

    header: str
    prefix: str = ""  # before each signature
    encoding: str = "hex"  # hex | base64
    signed: str = "{body}"  # with {stamp} and {id}
    stamp_header: str = ""
    stamp_path: str = ""  # of the time in the signed body
    id_header: str = ""
    optional_stamp: bool = False  # without it the body alone is signed


STYLES: Final[Mapping[str, Style]] = {
    "generic": Style("X-Fishbone-Signature", "sha256=", signed="{stamp}.{body}", stamp_header="X-Fishbone-Timestamp"),
    "github": Style("X-Hub-Signature-256", "sha256="),
    "grafana": Style(
        "X-Grafana-Alerting-Signature", signed="{stamp}:{body}", stamp_header="X-Grafana-Alerting-Timestamp",
        optional_stamp=True,
    ),
    "pagerduty": Style("X-PagerDuty-Signature", "v1=", stamp_path="event.occurred_at"),
    "sentry": Style("Sentry-Hook-Signature"),
    "standard": Style(
        "webhook-signature", "v1,", "base64", "{id}.{stamp}.{body}", "webhook-timestamp", id_header="webhook-id"
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Seal:
    """A style with a sender's secret."""

    style: Style
    secret: bytes
    replay_seconds: float | None = None  # None: WINDOW where a time is signed

    def check(self, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
        """Raises BadSignature, one line that says what is missing or wrong."""
        style = self._style(headers)
        given = headers.get(style.header.lower(), "")
        if not given:
            raise BadSignature(f"the header {style.header} is missing")
        stamp = headers.get(style.stamp_header.lower(), "") if style.stamp_header else ""
        wanted = hmac.digest(self.secret, _signed(style, headers, stamp, body), hashlib.sha256)
        if not any(hmac.compare_digest(wanted, one) for one in _signatures(style, given)):
            raise BadSignature(f"the signature in {style.header} does not fit the body")
        self._check_time(style, stamp, body, now)

    def _style(self, headers: Mapping[str, str]) -> Style:
        style = self.style
        may_lack = style.optional_stamp and self.replay_seconds is None
        if may_lack and style.stamp_header.lower() not in headers:
            return replace(style, signed="{body}", stamp_header="")
        return style

    def _check_time(self, style: Style, stamp: str, body: bytes, now: datetime) -> None:
        where = style.stamp_header or style.stamp_path
        if not where:
            return
        moment = reading.time(stamp or _in_body(body, style.stamp_path), now)
        if moment is None:
            raise BadSignature(f"{where} states no time")
        off = abs((now - moment).total_seconds())
        if off > (self.replay_seconds or WINDOW):
            raise BadSignature(f"{where} is {off:.0f} s off: an old post, or a wrong clock")


def _signed(style: Style, headers: Mapping[str, str], stamp: str, body: bytes) -> bytes:
    name = headers.get(style.id_header.lower(), "") if style.id_header else ""
    before, _, after = style.signed.partition("{body}")
    return before.format(stamp=stamp, id=name).encode() + body + after.encode()


def _signatures(style: Style, given: str) -> list[bytes]:
    """The header's signatures; several while a secret is exchanged."""
    # a comma is part of the prefix of the one style that separates by blanks
    parts = given.split() if "," in style.prefix else [part.strip() for part in given.split(",")]
    told = (part.removeprefix(style.prefix) for part in parts if part.startswith(style.prefix))
    return [raw for one in told if (raw := _decoded(style.encoding, one)) is not None]


def _decoded(encoding: str, text: str) -> bytes | None:
    try:
        return bytes.fromhex(text) if encoding == "hex" else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None


def _in_body(body: bytes, path: str) -> str:
    try:
        return reading.text(reading.at(json.loads(body), *path.split(".")))
    except (ValueError, RecursionError):
        return ""


def replace_headers(style: Style, header: str, stamp_header: str) -> Style:
    """The style with headers of the sender's own."""
    return replace(style, header=header or style.header, stamp_header=stamp_header or style.stamp_header)
