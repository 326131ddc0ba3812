"""Who listens on loopback alone, while connections to the same port of the machine's other addresses are refused."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.whose_address import has, is_loopback
from domain.facts import Fact

_LOCAL: Final = re.compile(r"(?:127(?:\.\d{1,3}){3}|\[?::1\]?):(\d+)")
_REFUSED: Final = re.compile(r"(?i)refused")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each port that a probe found closed and a process of that machine has open for the machine only."""
    listening = [(at, fact) for at, fact in enumerate(case.facts) if _listens(fact)]
    told: set[tuple[str, str]] = set()
    for at, probe in enumerate(case.facts):
        port, host = _refused_port(case, probe), str(probe.attributes.get("host") or "")
        here = [place for place, fact in listening if port and _port(fact) == port and has(case, place, host)]
        only_local = all(_LOCAL.fullmatch(_address(case.facts[place])) for place in here)
        if port is None or not here or not only_local or (probe.entity, port) in told:
            continue
        told.add((probe.entity, port))
        yield _joined(case, here[0], at)


def _joined(case: Case, socket: int, probe: int) -> JoinedFact:
    fact, refused = case.facts[socket], case.facts[probe]
    reached = "{host}:{port}".format_map(refused.attributes)  # both are told, or it were no refused port
    told = fact.attributes | {"remote": str(refused.attributes.get("target") or reached)}
    merged = Fact("socket", refused.entity, told, fact.source, fact.at)
    return JoinedFact(merged, (*case.cite(socket, "local"), *case.cite(probe, "error")))


def _listens(fact: Fact) -> bool:
    return fact.kind == "socket" and str(fact.attributes.get("state")).upper().startswith("LISTEN")


def _address(fact: Fact) -> str:
    return str(fact.attributes.get("local") or "")


def _port(fact: Fact) -> str:
    return _address(fact).rpartition(":")[2]


def _refused_port(case: Case, fact: Fact) -> str | None:
    """The port of another address than loopback that a probe was refused at."""
    told = fact.attributes
    host, port = str(told.get("host") or ""), told.get("port")
    refused = fact.kind == "probe" and told.get("ok") is False and _REFUSED.search(str(told.get("error") or ""))
    if not refused or not port or not host or _LOCAL.fullmatch(f"{host}:{port}") or is_loopback(case, host):
        return None
    return str(port)
