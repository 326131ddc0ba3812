"""A program that listens on loopback, while others are refused at the address it has for them."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of, name_of
from domain.evidence import Citation, Finding
from domain.facts import Fact

_SAYS: Final = "network-loopback-only/listens_local"
_COMPLAINTS: Final = ("dependency.unavailable", "proxy.upstream_down")
_REFUSED: Final = re.compile(r"(?i)refused")
_PLACE: Final = re.compile(r"(?:service|external|container|host|pod):(?P<host>[\w.-]+):(?P<port>\d{2,5})$")
_LOOPBACK: Final = re.compile(r"localhost|127(?:\.\d+){3}|\[?::1\]?")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program that others are refused by at a port which it has open for itself alone."""
    local = _local(case)
    told: set[tuple[str, str]] = set()
    for complaint in case.findings:
        place = _PLACE.match(complaint.entity) if complaint.kind in _COMPLAINTS else None
        if place is None or not _REFUSED.search(complaint.statement) or _LOOPBACK.fullmatch(place["host"]):
            continue
        owner = case.inventory.resolve(place["host"]) or case.inventory.address_owner(place["host"])
        for (of, port), cited in local.items():
            here = port == place["port"] and owner is not None and case.inventory.same(of, owner)
            if here and (of, port) not in told:
                told.add((of, port))
                yield _joined(of, cited, complaint, place["host"])


def _local(case: Case) -> dict[tuple[str, str], tuple[Citation, ...]]:
    """By who runs and port: where a log says, or a socket table inside a container shows, that it is for itself."""
    said = {
        (each.entity, each.captures.get("port", "")): each.citations[:1]
        for each in case.findings
        if each.signature == _SAYS
    }
    open_to_all: set[tuple[str, str]] = set()
    for at, fact in enumerate(case.facts):
        host, _, port = str(fact.attributes.get("local") or "").rpartition(":")
        listens = fact.kind == "socket" and str(fact.attributes.get("state")) == "LISTEN"
        if listens and kind_of(fact.entity) in ("container", "pod"):
            if _LOOPBACK.fullmatch(host):
                said.setdefault((fact.entity, port), case.cite(at, "local"))
            else:
                open_to_all.add((fact.entity, port))
    return {key: cited for key, cited in said.items() if key not in open_to_all}


def _joined(of: str, cited: tuple[Citation, ...], complaint: Finding, host: str) -> JoinedFact:
    port = complaint.entity.rpartition(":")[2]
    told: dict[str, str] = {"state": "LISTEN", "local": f"127.0.0.1:{port}", "remote": f"{host}:{port}"}
    fact = Fact("socket", of, {**told, "process": name_of(of)})
    return JoinedFact(fact, (*cited, *complaint.citations[:1]), complaint.onset)
