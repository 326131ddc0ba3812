"""What may be probed: targets such as db:5432, https://api/health, tls:api:443, dns:db; and which are allowed."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443, "tls": 443}
_HOST: Final = re.compile(r"[\w.*:%/-]{1,253}")


@dataclass(frozen=True)
class Target:
    """One thing to probe."""

    kind: str  # dns | tcp | http | tls
    host: str
    port: int | None = None  # None: of a name
    url: str = ""

    def __str__(self) -> str:
        return self.url or (self.host if self.port is None else f"{self.host}:{self.port}")


def parse(text: str) -> Target:
    """The target that a text names. Raises ValueError that says what is wrong."""
    text = text.strip()
    if "://" in text:
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValueError(f"{text[:80]!r}: only http and https URLs without a user are probed")
        return Target("http", parts.hostname, parts.port or _PORTS[parts.scheme], text)
    kind, colon, rest = text.partition(":")
    if colon and kind in ("dns", "tls", "tcp"):
        host, port = _split(rest)
        return Target(kind, host, None if kind == "dns" else port or _PORTS.get(kind))
    host, port = _split(text)
    return Target("tcp" if port else "dns", host, port)


def _split(text: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})", text)
    host, port = ((match[1] or match[2]), int(match[3])) if match else (text.strip("[]"), None)
    if not _HOST.fullmatch(host) or (port is not None and not 0 < port < 65536):
        raise ValueError(f"{text[:80]!r}: no host, host:port, URL, tls:host:port or dns:host")
    return host, port


class Allowed:
    """The settings' allow-list: hosts, ports and networks that fishbone may talk to. Nothing else is ever asked."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entry.strip() for entry in entries if entry.strip())

    def to_probe(self, problems: list[str]) -> list[Target]:
        """The entries that name one target, rather than a pattern of some."""
        found: list[Target] = []
        for entry in self.entries:
            if "*" in entry or _network(entry)[0] is not None:
                continue
            try:
                found.append(parse(entry))
            except ValueError as exc:
                problems.append(f"network_allow: {exc}")
        return found

    def refusal(self, target: Target) -> str:
        """Why the target is not probed; empty where it may be."""
        if any(_allows(entry, target) for entry in self.entries):
            return ""
        listed = ", ".join(self.entries[:20]) or "nothing"
        return f"{target}: refused, network_allow does not list it; it lists {listed}"


def _allows(entry: str, target: Target) -> bool:
    network, port = _network(entry)
    if network is not None:
        return _inside(target.host, network) and port in ("*", "", str(target.port or ""))
    if entry.partition(":")[0] in ("dns", "tls", "tcp", "http", "https"):
        entry = _plain(entry)
    host, colon, port = entry.rpartition(":") if re.search(r":(?:\d+|\*)$", entry) else (entry, "", "")
    meets = fnmatchcase(target.host.lower(), host.strip("[]").lower())
    return meets and (target.kind == "dns" or not colon or port in ("*", str(target.port)))


def _plain(entry: str) -> str:
    """host:port of an entry that is a target itself."""
    try:
        target = parse(entry)
    except ValueError:
        return entry
    return target.host if target.port is None else f"{target.host}:{target.port}"


def _network(entry: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network | None, str]:
    """10.0.0.0/8 or 10.0.0.0/8:5432, with its port."""
    match = re.fullmatch(r"\[?([0-9a-fA-F.:]+/\d{1,3})\]?(?::(\d+|\*))?", entry)
    try:
        return (ipaddress.ip_network(match[1], strict=False), match[2] or "") if match else (None, "")
    except ValueError:
        return None, ""


def _inside(host: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    try:
        return ipaddress.ip_address(host) in network
    except ValueError:
        return False
