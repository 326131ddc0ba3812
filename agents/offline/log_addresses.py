"""Who needs whom by connection strings that programs log, as most do when they start."""

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.addresses import is_own
from domain.entity import name_of
from domain.results import Edge, SignatureHits

# Servers that are known by their scheme. An URL of a web page in a log says nothing of what the program needs, unless
# it stands in the line with which the program starts.
SIGNATURES: Final[dict[str, str]] = {
    "needs.server": r"\b(?:postgres(?:ql)?|mysql|mariadb|rediss?|valkey|mongodb(?:\+srv)?|amqps?|nats)://"
    r"(?:[^@/\s]*@)?(?P<host>[A-Za-z][\w.-]*)",
    "needs.start": r"(?i)\bstarting\b.*?\bhttps?://(?:[^@/\s]*@)?(?P<host>[A-Za-z][\w.-]*)",
}


def questions() -> list[dict[str, str]]:
    """The signatures as `logs_match` takes them."""
    return [{"id": name, "pattern": pattern} for name, pattern in SIGNATURES.items()]


def needed(hits: SignatureHits) -> Iterator[Edge]:
    """An edge from whose log it is to each server that it names; captures of commands name those of others."""
    for hit in hits.hits:
        if hit.id in SIGNATURES and not hit.source.startswith("artifacts/"):
            yield from _edges(name_of(hit.entity), (found.get("host", "") for found in hit.captures))


def _edges(caller: str, hosts: Iterable[str]) -> Iterator[Edge]:
    for host in dict.fromkeys(host.rstrip(".") for host in hosts):
        if not is_own(host) and host != caller:
            yield Edge(caller, host, "address")
