"""Ports that a packet filter blocks although somebody listens there and somebody else tries to connect."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Citation
from domain.facts import Fact

_PORT: Final = re.compile(r"(?:dpts?:|--dports? |\bdport (?:= )?)(\d+)")
_TO: Final = re.compile(r"(?:-d |\bip daddr |\s)((?:\d{1,3}\.){3}\d{1,3})(?:/32)?(?=\s)")
_TARGETS: Final = ("DROP", "REJECT", "drop", "reject")
_TIMEOUT: Final = re.compile(r"(?i)timed? ?out|timeout|no route to host|unreachable|refused")
_ANY: Final = ("0.0.0.0", "*", "[::]")  # listens at every address
_WAITING: Final = re.compile(r"(?i)syn[-_]sent")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each port: the rule with the most packets, and who listens."""
    rules = [(at, fact, match[1]) for at, fact in enumerate(case.facts) if (match := _blocks(fact))]
    if not rules or not _is_felt(case):
        return
    best: dict[str, tuple[int, Fact, int]] = {}
    for at, fact, port in sorted(rules, key=lambda each: -_packets(each[1])):
        if _packets(fact) and (listener := _listener(case, fact, port)) is not None:
            best.setdefault(port, (at, fact, listener))
    for port, (at, fact, place) in sorted(best.items()):
        socket = str(case.facts[place].attributes["local"])
        of = case.inventory.address_owner(socket.rpartition(":")[0])
        told = f"{name_of(of)} ({socket})" if of else socket
        more = Fact(fact.kind, fact.entity, fact.attributes | {"blocks": told}, fact.source, fact.at)
        yield JoinedFact(more, (*case.cite(at, "rule", "packets"), *case.cite(place, "local"), *_attempts(case, port)))


def _blocks(fact: Fact) -> re.Match[str] | None:
    rule = str(fact.attributes.get("rule") or "")
    return _PORT.search(rule) if fact.kind == "firewall" and fact.attributes.get("target") in _TARGETS else None


def _packets(fact: Fact) -> int:
    count = fact.attributes.get("packets")
    return count if isinstance(count, int) else 0


def _is_felt(case: Case) -> bool:
    """Whether anybody complains of connections that are not made."""
    return any(_TIMEOUT.search(finding.statement) for finding in case.findings) or bool(list(_waiting(case)))


def _listener(case: Case, rule: Fact, port: str) -> int | None:
    """The place of the socket that listens where the rule blocks."""
    to = {address for address in _TO.findall(f" {rule.attributes.get('rule')} ") if address != "0.0.0.0"}
    for place, fact in enumerate(case.facts):
        host, _, at = str(fact.attributes.get("local") or "").rpartition(":")
        listens = fact.kind == "socket" and fact.attributes.get("state") == "LISTEN" and at == port
        if listens and (not to or host in to or host in _ANY):
            return place
    return None


def _waiting(case: Case) -> Iterator[int]:
    """Places of facts that tell of connections without an answer."""
    for at, fact in enumerate(case.facts):
        told = f"{fact.attributes.get('state')} {fact.attributes.get('command')}"
        if fact.kind in ("socket", "reading") and _WAITING.search(told):
            yield at


def _attempts(case: Case, port: str) -> tuple[Citation, ...]:
    """One line that tells of a connection to the port without an answer; the heading of such a list tells nothing."""
    for at in _waiting(case):
        for cited in case.cite(at, "state", "text")[:1]:
            if f":{port}" in (cited.quote or str(cited.value)):
                return (cited,)
    return ()
