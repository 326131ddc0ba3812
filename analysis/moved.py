"""Names that stand for another address now than the one a client goes on calling: it resolved them before the move."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.stale import Complaint, complaints
from domain.facts import Fact

# Java, libpq and curl, MySQL: the name and the address that was taken for it.
_PAIR: Final = re.compile(r"([A-Za-z][\w.-]*)[\"']?(?:/| ?\(|, | at )((?:\d{1,3}\.){3}\d{1,3})(?![\d.])")


def moved_names(case: Case) -> Iterator[tuple[Complaint, JoinedFact]]:
    """Every complaint about an address that its name does not have now.

    Either the complaint names both, or it is a proxy's, and a probe finds its upstream well at the new address.
    """
    known = {at: fact for at, fact in enumerate(case.facts) if _resolved(fact)}
    called = {str(address) for fact in known.values() for address in _addresses(fact)}
    for complaint in complaints(case):
        if complaint.address in called:
            continue
        if both := _told_together(known, complaint):
            yield complaint, _fact(case, complaint, both[0])
            continue
        if "upstream" not in complaint.line:
            continue
        fitting: dict[str, tuple[int, int]] = {}  # one name may be looked up and probed more than once
        for at, fact in known.items():
            for probe in _answered(case, fact, complaint.port):
                fitting.setdefault(_name(fact.attributes.get("query")), (at, probe))
        if len(fitting) == 1:  # else nobody can tell whom the address stood for
            yield complaint, _fact(case, complaint, *next(iter(fitting.values())))


def _told_together(known: dict[int, Fact], complaint: Complaint) -> list[int]:
    """Where the name is looked up that the complaint tells with its address, as `db.lan/10.0.0.1:5432` does."""
    if not ip_address(complaint.address).is_private:  # public names have many addresses, which take turns
        return []
    names = {_name(match[1]) for match in _PAIR.finditer(complaint.line) if match[2] == complaint.address}
    return [at for at, fact in known.items() if _name(fact.attributes.get("query")) in names]


def _resolved(fact: Fact) -> bool:
    return fact.kind == "dns" and fact.attributes.get("status") == "NOERROR" and bool(_addresses(fact))


def _addresses(fact: Fact) -> list[object]:
    told = fact.attributes.get("addresses")
    return list(told) if isinstance(told, list) else []


def _name(told: object) -> str:
    return str(told or "").rstrip(".").lower()


def _answered(case: Case, name: Fact, port: str) -> Iterator[int]:
    """Places of probes of the name and port that were answered."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        asked = (_name(told.get("host")), str(told.get("port"))) == (_name(name.attributes.get("query")), port)
        if fact.kind == "probe" and told.get("ok") and asked:
            yield at


def _fact(case: Case, complaint: Complaint, at: int, probe: int | None = None) -> JoinedFact:
    name = case.facts[at]
    query, now = str(name.attributes["query"]), str(_addresses(name)[0])
    told = {
        "status": "stale",
        "query": query,
        "addresses": [complaint.address],
        "error": f"{query} resolves to {now} now" + (" and answers there" if probe is not None else ""),
    }
    answered = case.cite(probe, "ok") if probe is not None else ()
    cited = (*complaint.finding.citations[:1], *case.cite(at, "addresses"), *answered)
    fact = Fact("dns", complaint.client, told, name.source, name.at)  # type: ignore[arg-type]
    return JoinedFact(fact, cited, complaint.finding.onset)
