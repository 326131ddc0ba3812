"""Who asks for localhost by IPv6 what listens at IPv4 only."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.machines import several_machines
from domain.entity import kind_of
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "localhost_family"
FAULT: Final = "network.localhost_ipv6"
_SIX: Final = re.compile(r"(?:\[::1\]:|::1[:\s]+(?:port )?)(\d+)")
_BY_NAME: Final = re.compile(r"(?i)\blocalhost:(\d+)")
_IS_SIX: Final = frozenset({"localhost", "::1"})
_FOUR: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}:(\d+)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing that was refused at ::1 at a port which is open at IPv4 and not at IPv6."""
    told: set[tuple[str, str]] = set()
    for of, port, cited in _refused(case):
        if (of, port) in told or (open_at := _open(case, of, port)) is None:
            continue
        told.add((of, port))
        at, address, attribute = open_at
        fact = Fact("note", of, {"name": NAME, "text": address, "value": f"[::1]:{port}"})
        yield JoinedFact(fact, (*cited, *case.cite(at, attribute)))


def _refused(case: Case) -> Iterator[tuple[str, str, tuple[Citation, ...]]]:
    for at, fact in enumerate(case.facts):
        output = str(fact.attributes.get("health_output") or "") if fact.kind == "container" else ""
        if "refused" in output.lower() and (match := _SIX.search(output)):
            yield fact.entity, match[1], case.cite(at, "health_output")
        elif "refused" in output.lower() and (asked := _asked_by_name(case, fact.entity)):
            yield fact.entity, asked[0], (*case.cite(at, "health_output"), *asked[1])
    for finding in case.findings:
        if finding.kind == FAULT and (port := finding.captures.get("port")):
            yield finding.entity, port, finding.citations[:1]


def _asked_by_name(case: Case, of: str) -> tuple[str, tuple[Citation, ...]] | None:
    """The port that the health check asks for at `localhost`, where it is told that the name is ::1 as well."""
    if not any(f.kind == "dns" and _names(f) >= _IS_SIX for f in case.facts):
        return None
    for at, fact in enumerate(case.facts):
        command = str(fact.attributes.get("health_command") or "") if fact.kind == "container" else ""
        match = _BY_NAME.search(command)
        if match and case.inventory.same(fact.entity, of):
            return match[1], case.cite(at, "health_command")
    return None


def _names(fact: Fact) -> frozenset[str]:
    return frozenset((str(fact.attributes.get("query")), *texts(fact.attributes, "addresses")))


def _open(case: Case, of: str, port: str) -> tuple[int, str, str] | None:
    """Where the port is open at IPv4; None where nobody tells or where IPv6 is open, too."""
    here = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "socket" and _is_of(case, fact, of)]
    local = [(at, str(fact.attributes.get("local") or "")) for at, fact in here if _listens(fact)]
    local = [(at, address) for at, address in local if address.rpartition(":")[2] == port]
    if local and all(_FOUR.fullmatch(address) for _, address in local):
        return (*local[0], "local")
    answers = (at for at, fact in enumerate(case.facts) if _answers(case, fact, of, port))
    return next(((at, f"127.0.0.1:{port}", "target") for at in answers), None) if not local else None


def _is_of(case: Case, fact: Fact, of: str) -> bool:
    """Whether the socket is one of the thing's, or of the only machine there is where the thing is no container."""
    if case.inventory.same(fact.entity, of):
        return True
    return kind_of(fact.entity) in ("host", "process") and kind_of(of) != "container" and not several_machines(case)


def _listens(fact: Fact) -> bool:
    return str(fact.attributes.get("state")).upper().startswith("LISTEN")


def _answers(case: Case, fact: Fact, of: str, port: str) -> bool:
    told = fact.attributes
    well = fact.kind == "probe" and told.get("ok") is True and str(told.get("port")) == port
    return well and str(told.get("host") or "").startswith("127.") and case.inventory.same(fact.entity, of)
