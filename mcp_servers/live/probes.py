"""Active probes: names, TCP, HTTP without following redirects, and the certificate that TLS shows."""

import socket
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import httpx2
from cryptography import x509
from cryptography.x509.oid import ExtensionOID

from analysis.captures.addressed import target_entity
from analysis.captures.context import Context, safe_entity
from domain.facts import Fact
from mcp_servers.live.targets import Target

SECONDS: Final = 3.0  # of one step of a probe
_BODY: Final = 300  # characters that are told
_READ: Final = 64 << 10  # bytes of a body that are read


def probe(target: Target, context: Context) -> list[Fact]:
    """What is found out of one target: its name first, then what stands behind."""
    named = [] if _is_address(target.host) else [_dns(target.host, context)]
    if target.kind == "dns" or (named and named[0].attributes.get("error")):
        return named
    read: dict[str, Callable[[Target, Context], list[Fact]]] = {"tcp": _tcp, "http": _http, "tls": _tls}
    return named + read[target.kind](target, context)


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdigit() or ":" in host


def _dns(host: str, context: Context) -> Fact:
    begun = time.monotonic()
    of = target_entity(host, context)
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as exc:
        status = "NXDOMAIN" if getattr(exc, "errno", 0) == socket.EAI_NONAME else "SERVFAIL"
        return context.fact("dns", of, None, query=host, status=status, error=_said(exc), seconds=_since(begun))
    addresses = sorted({str(one[4][0]) for one in found})
    return context.fact("dns", of, None, query=host, status="NOERROR", addresses=addresses, seconds=_since(begun))


def _tcp(target: Target, context: Context) -> list[Fact]:
    begun = time.monotonic()
    try:
        socket.create_connection((target.host, target.port or 0), SECONDS).close()
    except OSError as exc:
        return [_probed("tcp", target, context, begun, ok=False, error=_said(exc))]
    return [_probed("tcp", target, context, begun, ok=True)]


def _http(target: Target, context: Context) -> list[Fact]:
    begun = time.monotonic()
    try:
        with (
            # With the machine's own trust: a private authority that it knows is no error.
            httpx2.Client(
                timeout=SECONDS, follow_redirects=False, trust_env=False, verify=ssl.create_default_context()
            ) as client,
            client.stream("GET", target.url) as response,
        ):
            body = next(response.iter_bytes(_READ), b"")[:_BODY].decode("utf-8", "replace")
            status = response.status_code
    except (httpx2.HTTPError, OSError) as exc:
        failed = [_probed("http", target, context, begun, ok=False, error=_said(exc))]
        return failed + (_tls(target, context) if target.url.startswith("https:") else [])
    error = None if status < 400 else f"HTTP {status} {httpx2.codes.get_reason_phrase(status)}"
    found = [
        _probed("http", target, context, begun, ok=status < 400, status=str(status), error=error, body=body.strip())
    ]
    return found + (_tls(target, context) if target.url.startswith("https:") else [])


def _tls(target: Target, context: Context) -> list[Fact]:
    begun = time.monotonic()
    error = _handshake(target, ssl.create_default_context())[1]
    lenient = ssl.create_default_context()
    lenient.check_hostname, lenient.verify_mode = False, ssl.CERT_NONE  # to read what was refused, never to trust it
    shown, failed = _handshake(target, lenient)
    if shown is None:
        return [_probed("tls", target, context, begun, ok=False, error=failed or error)]
    told = _certificate(x509.load_der_x509_certificate(shown))
    return [
        context.fact(
            "certificate", safe_entity("certificate", target.host), None, **told, chain_ok=not error,
            error=error or None, path=str(target),
        )
    ]  # fmt: skip


def _handshake(target: Target, how: ssl.SSLContext) -> tuple[bytes | None, str]:
    """The certificate that is shown, and why it is not trusted."""
    try:
        with (
            socket.create_connection((target.host, target.port or 443), SECONDS) as plain,
            how.wrap_socket(plain, server_hostname=target.host) as secured,
        ):
            return secured.getpeercert(binary_form=True), ""
    except OSError as exc:
        return None, getattr(exc, "verify_message", "") or _said(exc)


def _certificate(shown: x509.Certificate) -> dict[str, Any]:
    end = shown.not_valid_after_utc
    return {
        "subject": shown.subject.rfc4514_string(),
        "issuer": shown.issuer.rfc4514_string(),
        "not_before": _time(shown.not_valid_before_utc),
        "not_after": _time(end),
        "days_left": round((end - datetime.now(UTC)).total_seconds() / 86400, 2),
        "names": _names(shown),
        "serial": f"{shown.serial_number:X}",
        "self_signed": shown.subject == shown.issuer or None,
    }


def _names(shown: x509.Certificate) -> list[str]:
    try:
        found: Any = shown.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
    except (x509.ExtensionNotFound, ValueError):
        return []
    return list(found.get_values_for_type(x509.DNSName))


def _time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _probed(kind: str, target: Target, context: Context, begun: float, **told: Any) -> Fact:
    return context.fact(
        "probe", target_entity(str(target), context), None, type=kind, target=str(target), host=target.host,
        port=target.port, seconds=_since(begun), **told,
    )  # fmt: skip


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 3)


def _said(exc: Exception) -> str:
    """In the words that curl and nc use."""
    said = getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
    return " ".join(str(said).split())[:300]
