"""Stale addresses: a client goes on with an address that its upstream had before it was recreated."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from analysis.case import Case
from analysis.inventory_names import safe, texts
from analysis.joined_fact import JoinedFact
from analysis.lines.timestamps import engine_time, format_time
from domain.entity import kind_of, name_of
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.fault import family_of, is_fault

FAULT: Final = "dns.stale_address"
FAMILIES: Final = ("proxy", "network", "dependency", "tls", "dns")  # faults that a wrong address looks like
MOST_WEIGHT: Final = 0.5  # of a refused connection, once the address is known to be an old one
BEFORE: Final = timedelta(minutes=5)  # an upstream that is being replaced fails before the new one has started
AFTER: Final = timedelta(hours=24)
_IP: Final = r"(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})"
# Only who is called counts, never who calls (`client: 10.0.0.1`) or who listens.
_CALLED: Final = re.compile(
    r'(?:upstream: "?(?:\w+://)?|\bdial \w+ |E(?:CONN|HOST|NET|TIMED)[A-Z]+ |[Cc]onnect\w*[ (]+(?:to )?(?:server at )?|'
    r"\bto |host[=: ]+|->|//(?:[^@/\s]*@)?)[\"'\[(/]*" + _IP + r"(?::(\d+))?"
)
_TROUBLE: Final = re.compile(
    r"(?i)refused|unreachable|no route|timed? ?out|\breset\b|invalid header|does not match|prematurely|wrong version|"
    r"unexpected|bad gateway|\b50[234]\b|\b404\b|closed"
)
_STOPPED: Final = ("exited", "dead", "restarting", "created")
_RENEWED: Final = ("create", "destroy", "connect")
_NAMED: Final = (
    "addresses",
    "upstream",
    "target",
    "host",
    "address",
    "server",
    "remote",
)  # captures that tell who was called


@dataclass(frozen=True)
class Complaint:
    """Somebody could not talk to an address."""

    finding: Finding
    client: str
    address: str
    port: str
    line: str


@dataclass(frozen=True)
class Server:
    """A container as the engine knows it now: where its fact stands, its addresses, and when it was started."""

    at: int
    fact: Fact
    addresses: tuple[str, ...]
    started: datetime | None

    @property
    def entity(self) -> str:
        """The container."""
        return self.fact.entity

    def is_near(self, address: str) -> bool:
        """Whether one of its addresses is of the same network, as engines divide them."""
        return any(each.split(".")[:2] == address.split(".")[:2] for each in self.addresses)


def stale_addresses(case: Case) -> Iterator[tuple[Complaint, JoinedFact]]:
    """Every complaint about an address that its upstream gave up, with what follows from it."""
    servers = [server for server in _servers(case) if server.addresses]
    for complaint in complaints(case):
        upstream = _upstream(case, complaint, servers)
        if upstream is not None:
            yield complaint, _fact(case, complaint, upstream, servers)


def superseded(finding: Finding, client: str) -> Finding:
    """What looked like a fault of the upstream, as what it is: the client calls where nobody is meant."""
    if not is_fault(finding.kind) or family_of(finding.kind) not in FAMILIES:
        return finding
    return replace(finding, entity=client, kind=FAULT, weight=min(finding.weight, MOST_WEIGHT))


def complaints(case: Case) -> Iterator[Complaint]:
    """Findings whose words tell of a call that failed, with the address that was called."""
    for finding in case.findings:
        if finding.kind.startswith("against."):
            continue
        for citation in finding.citations:
            line = citation.quote or ""
            if called := _called(finding, line):
                yield Complaint(finding, _client(case, finding, citation), *called, line)
                break


def _called(finding: Finding, line: str) -> tuple[str, str] | None:
    told = [*(finding.captures.get(name, "") for name in _NAMED), name_of(finding.entity)]
    if not _TROUBLE.search(f"{line} {finding.statement} {finding.signature}"):
        return None
    if match := _CALLED.search(line):
        return match[1], match[2] or ""
    named = (re.fullmatch(_IP + r"(?::(\d+))?", text) for text in told)
    return next(((match[1], match[2] or "") for match in named if match), None)


def _client(case: Case, finding: Finding, citation: Citation) -> str:
    owner = case.inventory.owner(citation.source) if citation.source.startswith("logs/") else finding.entity
    return case.inventory.resolve(name_of(owner), "container") or owner


def _servers(case: Case) -> Iterator[Server]:
    """Each container once, by the fact that tells most of it."""
    best: dict[str, int] = {}
    for at, fact in enumerate(case.facts):
        if fact.kind == "container" and fact.attributes.get("addresses"):
            best.setdefault(fact.entity, at)
    for at in best.values():
        fact = case.facts[at]
        started = engine_time(fact.attributes.get("started_at")) or _last_start(case, fact.entity)
        yield Server(at, fact, tuple(texts(fact.attributes, "addresses")), started)


def _last_start(case: Case, of: str) -> datetime | None:
    starts = (
        f.at for f in case.facts if f.kind == "event" and f.entity == of and f.attributes.get("reason") == "start"
    )
    return max((at for at in starts if at), default=None)


def _upstream(case: Case, complaint: Complaint, servers: list[Server]) -> Server | None:
    """The container that the address stood for: it runs, was renewed after the client, and has another address now."""
    client = next((server for server in servers if case.inventory.same(server.entity, complaint.client)), None)
    holder = next((server for server in servers if complaint.address in server.addresses), None)
    if client is None or holder is client or not client.is_near(complaint.address):
        return None
    if holder is None and _answers(case, complaint.address):  # who has it now would answer for an old one as well
        return None
    if holder is not None and not _is_younger(holder, client):  # it had the address when the client asked for it
        return None
    renewed = [server for server in servers if server not in (client, holder) and _moved(complaint, client, server)]
    best = max(renewed, key=lambda server: (_fits(case, complaint, server), str(server.started)), default=None)
    if best is None or _is_meant(case, complaint, best):
        return best
    if holder is not None:  # it may be the one that is meant, and be broken
        return best if _was_renewed(case, best) and not _is_meant(case, complaint, holder) else None
    # A container that stopped has no address either: then only a name tells whom the address stood for.
    stopped = any(f.kind == "container" and f.attributes.get("state") in _STOPPED for f in case.facts)
    return None if stopped else best


def _answers(case: Case, address: str) -> bool:
    """Whether a ping found somebody at the address: then it is no old one, but that of a replica elsewhere."""
    pings = (fact.attributes for fact in case.facts if fact.kind == "probe" and fact.attributes.get("type") == "ping")
    return any(each.get("ok") is True and each.get("host") == address for each in pings)


def _moved(complaint: Complaint, client: Server, server: Server) -> bool:
    if server.fact.attributes.get("state") not in (None, "running") or not server.is_near(complaint.address):
        return False
    onset = complaint.finding.onset
    if not _is_younger(server, client) or server.started is None:
        return False
    return onset is None or -BEFORE <= onset - server.started <= AFTER


def _is_younger(server: Server, client: Server) -> bool:
    return server.started is not None and client.started is not None and server.started > client.started


def _fits(case: Case, complaint: Complaint, server: Server) -> int:
    """How well the container fits the call: by name, by port, and by what the engine saw."""
    ports = {port.partition("/")[0] for port in texts(server.fact.attributes, "exposed_ports")}
    return 4 * _is_meant(case, complaint, server) + 2 * (complaint.port in ports) + _was_renewed(case, server)


def _was_renewed(case: Case, server: Server) -> bool:
    """Whether the engine told that it made the container anew."""
    events = (fact for fact in case.facts if fact.kind == "event" and fact.entity == server.entity)
    return any(fact.attributes.get("reason") in _RENEWED for fact in events)


def _is_meant(case: Case, complaint: Complaint, server: Server) -> bool:
    """Whether the client is known to need it, or the request or its host names it."""
    if case.inventory.depends(complaint.client, server.entity):
        return True
    names = {name_of(server.entity).lower(), str(server.fact.attributes.get("service") or "").lower()} - {""}
    return bool(names & set(re.findall(r"[a-z][a-z0-9_-]*", complaint.line.lower())))


def _fact(case: Case, complaint: Complaint, upstream: Server, servers: list[Server]) -> JoinedFact:
    holder = next((server for server in servers if complaint.address in server.addresses), None)
    told = f"{name_of(upstream.entity)} was started anew at {_clock(upstream.started)} with {upstream.addresses[0]}"
    told += f", {complaint.address} is {name_of(holder.entity)}'s now" if holder else ", nobody has the old one"
    client = (
        complaint.client if kind_of(complaint.client) == "container" else safe("service", name_of(complaint.client))
    )
    fact = Fact("dns", client, {"query": name_of(upstream.entity), "status": "stale",
                                "addresses": [complaint.address], "error": told})  # fmt: skip
    cited = (*complaint.finding.citations[:1], *case.cite(upstream.at, "addresses", "started_at"))
    return JoinedFact(fact, cited, complaint.finding.onset)


def _clock(at: datetime | None) -> str:
    return format_time(at) if at else "an unknown time"
