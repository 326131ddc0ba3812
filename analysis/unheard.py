"""A program that says it listens on loopback, while others are refused at the address it has for them."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Fact

_SAYS: Final = "network-loopback-only/listens_local"
_COMPLAINTS: Final = ("dependency.unavailable", "proxy.upstream_down")
_REFUSED: Final = re.compile(r"(?i)refused")
_PLACE: Final = re.compile(r"(?:service|external|container|host|pod):(?P<host>[\w.-]+):(?P<port>\d{2,5})$")
_LOOPBACK: Final = re.compile(r"localhost|127(?:\.\d+){3}")


def refused_beyond_loopback(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program that others are refused by at a port on which it says to listen for itself alone."""
    said = {(each.entity, each.captures.get("port", "")): each for each in case.findings if each.signature == _SAYS}
    told: set[tuple[str, str]] = set()
    for complaint in case.findings:
        place = _PLACE.match(complaint.entity) if complaint.kind in _COMPLAINTS else None
        if place is None or not _REFUSED.search(complaint.statement) or _LOOPBACK.fullmatch(place["host"]):
            continue
        owner = case.inventory.resolve(place["host"]) or case.inventory.address_owner(place["host"])
        for (of, port), says in said.items():
            here = port == place["port"] and owner is not None and case.inventory.same(of, owner)
            if here and (of, port) not in told:
                told.add((of, port))
                yield _joined(says, complaint, port, place["host"])


def _joined(says: Finding, complaint: Finding, port: str, host: str) -> JoinedFact:
    told: dict[str, str] = {"state": "LISTEN", "local": f"127.0.0.1:{port}", "remote": f"{host}:{port}"}
    fact = Fact("socket", says.entity, {**told, "process": name_of(says.entity)})
    return JoinedFact(fact, (*says.citations[:1], *complaint.citations[:1]), complaint.onset)
