"""Who listens on loopback alone, while connections to the same port of the machine's other addresses are refused."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

_LOCAL: Final = re.compile(r"(?:127(?:\.\d{1,3}){3}|\[?::1\]?):(\d+)")
_REFUSED: Final = re.compile(r"(?i)refused")


def bound_to_loopback(case: Case) -> Iterator[JoinedFact]:
    """One fact for each port that a probe found closed and a process has open for its own machine only."""
    listening = [(at, fact) for at, fact in enumerate(case.facts) if _listens(fact)]
    for at, probe in enumerate(case.facts):
        port = _refused_port(probe)
        here = [(place, fact) for place, fact in listening if _port(fact) == port]
        if not here or not all(_LOCAL.fullmatch(_address(fact)) for _, fact in here):
            continue
        place, fact = here[0]
        told = fact.attributes | {"remote": str(probe.attributes["target"])}
        joined = Fact("socket", probe.entity, told, fact.source, fact.at)
        yield JoinedFact(joined, (*case.cite(place, "local"), *case.cite(at, "error")))


def _listens(fact: Fact) -> bool:
    return fact.kind == "socket" and str(fact.attributes.get("state")).upper().startswith("LISTEN")


def _address(fact: Fact) -> str:
    return str(fact.attributes.get("local") or "")


def _port(fact: Fact) -> str:
    return _address(fact).rpartition(":")[2]


def _refused_port(fact: Fact) -> str:
    """The port of another address than loopback that a probe was refused at; nothing else has one."""
    told = fact.attributes
    host, port = str(told.get("host") or ""), told.get("port")
    refused = fact.kind == "probe" and told.get("ok") is False and _REFUSED.search(str(told.get("error") or ""))
    if not refused or not port or _LOCAL.fullmatch(f"{host}:{port}") or host == "localhost":
        return "none"
    return str(port)
