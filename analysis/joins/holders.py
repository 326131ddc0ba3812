"""Who has a port that somebody else cannot listen on."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.machines import several_machines
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "port_holder"
_TAKEN: Final = "process.port_in_use"
_PORT: Final = re.compile(r":(\d{1,5})\b|^(\d{1,5})$")
_CAPTURES: Final = ("address", "other", "port")
_IN_ERROR: Final = re.compile(
    r"(?:listen (?:tcp|udp)\d? |Bind for |host port (?:for )?|bind(?:ing)?(?: to)? )\S*?:(\d{1,5})\b(?!\S*:\d)"
)
_PROTOCOL: Final = re.compile(r"(?i)\b(tcp|udp)[46]?\b")
_STATES: Final = {"tcp": ("LISTEN",), "udp": ("UNCONN",), "": ("LISTEN", "UNCONN")}
_PUBLISHERS: Final = ("docker-proxy", "rootlessport", "conmon", "com.docker.backend")  # hold ports for containers


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing that could not listen on a port of which the holder is seen, about that thing."""
    told: set[tuple[str, str]] = set()
    for finding in () if several_machines(case) else case.findings:
        port = _port(finding) if finding.kind == _TAKEN else ""
        if not port or (finding.entity, port) in told:
            continue
        protocol = _protocol(finding)
        if found := _publisher(case, finding, port, protocol) or _listener(case, port, protocol):
            at, holder, attribute = found
            told.add((finding.entity, port))
            more = Fact("note", finding.entity, {"name": NAME, "text": holder, "value": int(port)})
            yield JoinedFact(more, (*case.cite(at, attribute), *finding.citations[:1]), finding.onset)


def _port(finding: Finding) -> str:
    for name in _CAPTURES:
        if match := _PORT.search(finding.captures.get(name, "").rstrip(":")):
            return match[1] or match[2]
    match = _IN_ERROR.search(finding.captures.get("error", ""))
    return match[1] if match else ""


def _protocol(finding: Finding) -> str:
    """`tcp` or `udp`, where the complaint tells it."""
    quotes = (citation.quote or "" for citation in finding.citations)
    match = _PROTOCOL.search(" ".join((*finding.captures.values(), *quotes)))
    return match[1].lower() if match else ""


def _publisher(case: Case, finding: Finding, port: str, protocol: str) -> tuple[int, str, str] | None:
    """A running container that has the port published, other than the one that complains."""
    for at, fact in enumerate(case.facts):
        ports = [each for each in texts(fact.attributes, "ports") if f":{port}->" in each]
        published = fact.kind == "container" and any(protocol in each or "/" not in each for each in ports)
        own = case.inventory.same(fact.entity, finding.entity)
        if published and not own and fact.attributes.get("state") == "running":
            return at, f"the container {name_of(fact.entity)}", "ports"
    return None


def _listener(case: Case, port: str, protocol: str) -> tuple[int, str, str] | None:
    """The process that a socket table shows on the port."""
    for at, fact in enumerate(case.facts):
        local, process = str(fact.attributes.get("local") or ""), str(fact.attributes.get("process") or "")
        here = fact.kind == "socket" and kind_of(fact.entity) not in ("container", "pod")  # those have own ports
        listens = here and str(fact.attributes.get("state")) in _STATES[protocol]
        if listens and process and process not in _PUBLISHERS and local.rpartition(":")[2] == port:
            return at, f"{process} on {local}", "process"
    return None
