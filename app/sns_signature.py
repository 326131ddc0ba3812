"""Signatures of Amazon SNS messages, checked with certificates that the settings name: none is fetched."""

import base64
import binascii
import json
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from alerts import reading
from domain.codec import Json
from domain.errors import BadConfiguration, BadSignature

WINDOW: Final = 3600.0  # seconds: SNS tries for an hour, and keeps the first time
_NOTIFICATION: Final = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_CONFIRMATION: Final = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
_HASHES: Final[dict[str, type[hashes.HashAlgorithm]]] = {"1": hashes.SHA1, "2": hashes.SHA256}  # by SignatureVersion


def check(paths: tuple[Path, ...], body: bytes, now: datetime, window: float | None = None) -> None:
    """Raises BadSignature, one line that says what is missing or wrong."""
    message = _message(body)
    version, given = reading.text(message.get("SignatureVersion")), message.get("Signature")
    if version not in _HASHES or not isinstance(given, str):
        raise BadSignature("the body is no signed message of SNS (Signature, SignatureVersion 1 or 2)")
    try:
        signature = base64.b64decode(given, validate=True)
    except binascii.Error as exc:
        raise BadSignature("the Signature of the SNS message is no base64") from exc
    if not any(_fits(one, signature, signed(message), _HASHES[version]()) for one in _valid(paths, now)):
        raise BadSignature("the Signature of the SNS message fits none of sns_certificates that are valid now")
    _check_time(message, now, window or WINDOW)


def signed(message: dict[str, Json]) -> bytes:
    """What SNS signs: names and values in turn, each on a line, those that are there."""
    names = _CONFIRMATION if str(message.get("Type")).endswith("Confirmation") else _NOTIFICATION
    return "".join(f"{name}\n{message[name]}\n" for name in names if isinstance(message.get(name), str)).encode()


@lru_cache(maxsize=32)
def certificate(path: Path) -> x509.Certificate:
    """A certificate of a file. Raises BadConfiguration, a line that names it."""
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise BadConfiguration(f"sns_certificates: {path}: no certificate can be read: {exc}") from exc
    if not isinstance(found.public_key(), rsa.RSAPublicKey):
        raise BadConfiguration(f"sns_certificates: {path}: SNS signs with RSA, and this key is of another kind")
    return found


def _message(body: bytes) -> dict[str, Json]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _valid(paths: tuple[Path, ...], now: datetime) -> list[x509.Certificate]:
    found = map(certificate, paths)
    return [one for one in found if one.not_valid_before_utc <= now <= one.not_valid_after_utc]


def _fits(one: x509.Certificate, signature: bytes, told: bytes, algorithm: hashes.HashAlgorithm) -> bool:
    key = one.public_key()
    assert isinstance(key, rsa.RSAPublicKey)  # checked when it was read
    try:
        key.verify(signature, told, padding.PKCS1v15(), algorithm)
    except InvalidSignature:
        return False
    return True


def _check_time(message: dict[str, Json], now: datetime, window: float) -> None:
    moment = reading.time(message.get("Timestamp"), now)
    if moment is None:
        raise BadSignature("Timestamp of the SNS message states no time")
    off = abs((now - moment).total_seconds())
    if off > window:
        raise BadSignature(f"Timestamp of the SNS message is {off:.0f} s off: an old post, or a wrong clock")
