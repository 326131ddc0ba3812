"""Who has a port that somebody else cannot listen on."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "port_holder"
_TAKEN: Final = "process.port_in_use"
_PORT: Final = re.compile(r":(\d{1,5})\b|^(\d{1,5})$")
_CAPTURES: Final = ("address", "other", "port")
_IN_ERROR: Final = re.compile(
    r"(?:listen (?:tcp|udp)\d? |Bind for |host port (?:for )?|bind(?:ing)?(?: to)? )\S*?:(\d{1,5})\b(?!\S*:\d)"
)
_PUBLISHERS: Final = ("docker-proxy", "rootlessport", "conmon", "com.docker.backend")  # hold ports for containers


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing that could not listen on a port of which the holder is seen, about that thing."""
    told: set[tuple[str, str]] = set()
    for finding in case.findings:
        port = _port(finding) if finding.kind == _TAKEN else ""
        if not port or (finding.entity, port) in told:
            continue
        if found := _publisher(case, finding, port) or _listener(case, port):
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


def _publisher(case: Case, finding: Finding, port: str) -> tuple[int, str, str] | None:
    """A running container that has the port published, other than the one that complains."""
    for at, fact in enumerate(case.facts):
        published = fact.kind == "container" and any(f":{port}->" in each for each in texts(fact.attributes, "ports"))
        own = case.inventory.same(fact.entity, finding.entity)
        if published and not own and fact.attributes.get("state") == "running":
            return at, f"the container {name_of(fact.entity)}", "ports"
    return None


def _listener(case: Case, port: str) -> tuple[int, str, str] | None:
    """The process that a socket table shows on the port."""
    for at, fact in enumerate(case.facts):
        local, process = str(fact.attributes.get("local") or ""), str(fact.attributes.get("process") or "")
        listens = fact.kind == "socket" and str(fact.attributes.get("state")) in ("LISTEN", "UNCONN")
        if listens and process and process not in _PUBLISHERS and local.rpartition(":")[2] == port:
            return at, f"{process} on {local}", "process"
    return None
