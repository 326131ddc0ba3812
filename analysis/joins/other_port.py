"""A program that listens on another port than the one it is asked at."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "other port"
_SAYS: Final = "config-port-mismatch/listens"
_COMPLAINTS: Final = ("dependency.unavailable", "proxy.upstream_down")
_REFUSED: Final = re.compile(r"(?i)refused")
_PLACE: Final = re.compile(r"(?:service|external|container|host|pod):(?P<host>[\w.-]+):(?P<port>\d{2,5})$")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program that is up, says where it listens, and is refused elsewhere."""
    said: dict[str, list[Finding]] = {}
    for each in case.findings:
        if each.signature == _SAYS and each.citations:
            said.setdefault(each.entity, []).append(each)
    told: set[tuple[str, str]] = set()
    for complaint in case.findings:
        place = _PLACE.match(complaint.entity) if complaint.kind in _COMPLAINTS else None
        if place is None or not _REFUSED.search(complaint.statement):
            continue
        owner = case.inventory.resolve(place["host"]) or case.inventory.address_owner(place["host"])
        for of, listens in said.items():
            if owner is None or not case.inventory.same(of, owner) or (of, place["port"]) in told:
                continue
            ports = {_port(each) for each in listens}
            if "" not in ports and place["port"] not in ports and _up(case, of):
                told.add((of, place["port"]))
                yield _joined(of, place["port"], listens, complaint)


def _port(said: Finding) -> str:
    return said.captures.get("port") or said.captures.get("tomcat") or ""


def _up(case: Case, of: str) -> bool:
    """Whether nothing says that it does not run: what is down listens nowhere."""
    states = [
        f.attributes.get("state") for f in case.facts if f.kind == "container" and case.inventory.same(f.entity, of)
    ]
    return all(state in (None, "running") for state in states)


def _joined(of: str, port: str, listens: list[Finding], complaint: Finding) -> JoinedFact:
    ports = ", ".join(sorted({_port(each) for each in listens}))
    words = f"{name_of(of)} listens on port {ports} and is asked at port {port}"
    fact = Fact("note", of, {"name": NAME, "text": words, "value": ports})
    return JoinedFact(fact, (*listens[0].citations[:1], *complaint.citations[:1]), complaint.onset)
