"""Finds who is addressed in configuration text: hosts in URLs, connection strings, and variables that name a host."""

import re
from collections.abc import Iterator
from typing import Final

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?(\[[0-9a-f:]+\]|[\w.-]+)(?::(\d+))?", re.IGNORECASE)
_DSN: Final = re.compile(r"\b(?:host|server|data source|hostaddr)=([\w.-]+)", re.IGNORECASE)
_TCP: Final = re.compile(r"\btcp\(([\w.-]+):(\d+)\)")
_PAIR: Final = re.compile(r"(?:[^@\s,]*@)?([A-Za-z][\w.-]*|\d+\.\d+\.\d+\.\d+):(\d{2,5})")
_NAMES: Final = re.compile(
    r"(?:^|_)(?:HOST|HOSTS|HOSTNAME|SERVER|SERVERS|ADDR|ADDRESS|ENDPOINT|URL|URI|DSN|BROKER|BROKERS|BROKER_LIST|UPSTREAM|"
    r"BACKEND|TARGET|CONNECTION|CONNECT|PEERS|NODES|BOOTSTRAP_SERVERS|SERVICE|PROXY|SENTINELS|LISTENER)S?$"
)
_WORD: Final = re.compile(r"[A-Za-z0-9][\w.-]*")
_OWN: Final = frozenset(
    {"localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "host.docker.internal", "true", "false", "none", ""}
)


def hosts_in_env(variable: str) -> Iterator[str]:
    """`host` or `host:port` of each server that a variable `NAME=value` names; never the machine itself."""
    name, _, value = variable.partition("=")
    value = value.strip().strip("'\"")
    found = list(hosts_in_text(value))
    if not found and _NAMES.search(name.upper()):
        found = [word for part in re.split(r"[,;\s]+", value) for word in _words(part)]
    yield from dict.fromkeys(found)


def is_own(host: str) -> bool:
    """Whether the host is the machine that says it."""
    return host.lower() in _OWN


def hosts_in_text(text: str) -> Iterator[str]:
    """Servers in URLs and connection strings."""
    for match in _URL.finditer(text):
        yield from _told(match[1], match[2])
    for match in _TCP.finditer(text):
        yield from _told(match[1], match[2])
    for match in _DSN.finditer(text):
        yield from _told(match[1], None)


def _words(part: str) -> Iterator[str]:
    if match := _PAIR.fullmatch(part):
        yield from _told(match[1], match[2])
    elif _WORD.fullmatch(part) and not part.isdigit():
        yield from _told(part, None)


def _told(host: str, port: str | None) -> Iterator[str]:
    if host.lower() not in _OWN:
        yield f"{host}:{port}" if port else host
