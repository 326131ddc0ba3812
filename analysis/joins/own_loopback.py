"""Containers that ask their own loopback for what runs beside them: each network namespace has its own localhost."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation, Finding
from domain.facts import Fact

NAME: Final = "asked at own loopback"
_REFUSED: Final = re.compile(r"(?i)refused|ECONNREFUSED|failed to connect|could ?n.t connect|unable to connect")
_LOCAL: Final = re.compile(
    r"(?i)(?:\b127\.0\.0\.1|\[?::1\]?|\blocalhost)(?::| port |\\?\"? \([^)]*\), port )(?P<port>\d{2,5})\b"
)
_OK: Final = re.compile(r"^[1-4]\d\d$|^HTTP/\S+ [1-4]\d\d")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that is refused at a port of its loopback that the machine or a neighbour serves."""
    told: set[str] = set()
    for finding in case.findings:
        for citation in finding.citations:
            quote = citation.quote or ""
            match = _LOCAL.search(quote) if _REFUSED.search(quote) else None
            container = _container(case, finding) if match is not None else None
            if match is None or container is None or container.entity in told:
                continue
            if _opens(container, match["port"]):  # it, or its health check, asks for its own program, which is down
                continue
            if (found := _elsewhere(case, container, match["port"])) is not None:
                told.add(container.entity)
                at, who = found
                text = f"localhost:{match['port']} in the container is the container itself; {who} serves that port"
                note = Fact("note", container.entity, {"name": NAME, "text": text, "value": int(match["port"])})
                yield JoinedFact(note, (*_cited(citation), *case.cite(at, "status", "text", "ports")), finding.onset)


def _cited(citation: Citation) -> tuple[Citation, ...]:
    return (citation,)


def _container(case: Case, finding: Finding) -> Fact | None:
    """The container that wrote the line, if it has a network of its own."""
    own = [f for f in case.facts if f.kind == "container" and _wrote(case, f, finding)]
    modes = {str(f.attributes.get("network_mode") or "") for f in own} - {""}
    shared = any(mode == "host" or mode.startswith(("container:", "service:")) for mode in modes)
    return own[0] if own and not shared else None


def _wrote(case: Case, container: Fact, finding: Finding) -> bool:
    name = container.entity.partition(":")[2]
    by_source = any(re.search(rf"(?:^|/){re.escape(name)}\.[\w.]+$", c.source or "") for c in finding.citations)
    return by_source or case.inventory.same(container.entity, finding.entity)


def _opens(container: Fact, port: str) -> bool:
    ports = (*texts(container.attributes, "ports"), *texts(container.attributes, "exposed_ports"))
    return any(re.search(rf"(?:^|[:>]){port}(?:/tcp)?$|:{port}->|->{port}/", each) for each in ports)


def _elsewhere(case: Case, container: Fact, port: str) -> tuple[int, str] | None:
    """Who has the port: another container, or the machine, where a probe of it was answered."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        other = fact.kind == "container" and not case.inventory.same(fact.entity, container.entity)
        if other and _opens(fact, port):
            return at, f"the container {fact.entity.partition(':')[2]}"
        asked = f"{told.get('host')}:{told.get('port')}"
        here = fact.kind == "probe" and asked in (f"localhost:{port}", f"127.0.0.1:{port}") and told.get("ok") is True
        if here and not str(told.get("asker") or "").startswith("container"):
            return at, "the machine"
    return None
