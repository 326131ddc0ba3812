"""Who may post alerts and see pages. Open only on loopback, and only while no token is set."""

import base64
import binascii
import hashlib
import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import SecretStr

from app import sns_signature
from app.sender_settings import Sender
from app.settings import Settings
from app.signatures import STYLES, Seal, replace_headers
from domain.errors import BadConfiguration, BadSignature

COOKIE: Final = "fishbone"
_COOKIE_TEXT: Final = b"fishbone session 1"
_PASSED_ON: Final = ("forwarded", "x-forwarded-for", "x-real-ip")
_LOCAL: Final = ("localhost", "localhost.localdomain")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    name = host.strip("[]").lower()
    if name in _LOCAL:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def check_start(settings: Settings, host: str) -> None:
    """Raises BadConfiguration for an address that others can reach while no token is set, and for a bad certificate."""
    for sender in settings.senders.values():
        for path in sender.sns_certificates:
            sns_signature.certificate(path)
    if settings.token is None and not is_loopback(host):
        raise BadConfiguration(
            f"{host} can be reached from other machines: set FISHBONE_TOKEN (or token in fishbone.toml) first, "
            "or serve on 127.0.0.1"
        )


@dataclass(frozen=True)
class Door:
    """Checks what comes in."""

    settings: Settings

    def webhook(self, source: str, headers: Mapping[str, str], body: bytes, now: datetime) -> str:
        """The identity that the sender proved. Raises BadSignature."""
        sender = self.settings.senders.get(source)
        if sender is not None and sender.proves:
            _check(sender, headers, body, now)
        elif self.settings.token is not None:
            if not _is_token(self.settings.token, headers):
                raise BadSignature("a bearer token is needed (or basic authentication with it as the password)")
        else:
            self._check_local(headers)
        return f"webhook:{source}"

    def may_see(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Whether the pages may be shown: a bearer token, or the cookie that the login form gave."""
        token = self.settings.token
        if token is None:
            return _is_local(headers)
        return _is_token(token, headers) or hmac.compare_digest(cookies.get(COOKIE, "").encode(), _cookie(token))

    def cookie_for(self, token: str) -> str | None:
        """The cookie for the right token; it does not hold the token, and ends when the token is changed."""
        wanted = self.settings.token
        if wanted is None or not _equal(token, wanted.get_secret_value()):
            return None
        return _cookie(wanted).decode()

    def _check_local(self, headers: Mapping[str, str]) -> None:
        if not _is_local(headers):
            raise BadSignature("without a token only this machine is served, by its own name")


def _is_local(headers: Mapping[str, str]) -> bool:
    """Whether it was asked for by a name of this machine, and not on behalf of others: a page of somebody else's that
    points its own name here is not, nor is what a proxy passes on."""
    if any(name in headers for name in _PASSED_ON):
        return False
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return is_loopback(name)


def _check(sender: Sender, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
    """Every way that is set up for the sender would do, the signature first. Raises BadSignature."""
    if sender.token is not None and _is_bearer(sender.token, headers):
        return
    if sender.password is not None and _is_basic(sender.username, sender.password, headers):
        return
    if sender.sns_certificates:
        sns_signature.check(sender.sns_certificates, body, now, sender.replay_seconds)
        return
    if sender.secret is None:
        ways = [way for way, given in (("a bearer token", sender.token), ("basic authentication", sender.password))
                if given]  # fmt: skip
        raise BadSignature(f"{' or '.join(ways)} is needed")
    style = replace_headers(STYLES[sender.signature], sender.signature_header, sender.stamp_header)
    Seal(style, sender.secret.get_secret_value().encode(), sender.replay_seconds).check(headers, body, now)


def _is_token(token: SecretStr, headers: Mapping[str, str]) -> bool:
    return _is_bearer(token, headers) or _is_basic(None, token, headers)


def _is_bearer(token: SecretStr, headers: Mapping[str, str]) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and _equal(given.strip(), token.get_secret_value())


def _is_basic(username: str | None, password: SecretStr, headers: Mapping[str, str]) -> bool:
    """Whether the name (None: any) and the password are right."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return False
    try:
        name, _, told = base64.b64decode(given, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return False
    right = _equal(told, password.get_secret_value())
    return right and (username is None or _equal(name, username))


def _equal(given: str, wanted: str) -> bool:
    """Compared by digest: neither time nor length tells anything."""
    one, other = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (given, wanted))
    return hmac.compare_digest(one, other)


def _cookie(token: SecretStr) -> bytes:
    return hmac.new(token.get_secret_value().encode(), _COOKIE_TEXT, hashlib.sha256).hexdigest().encode()
