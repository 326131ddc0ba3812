"""Names that stand for another address now than the one a proxy goes on calling: it resolved them before the move."""

from collections.abc import Iterator

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.stale import Complaint, complaints
from domain.facts import Fact


def moved_names(case: Case) -> Iterator[tuple[Complaint, JoinedFact]]:
    """Every complaint of a proxy about an address, where a probe finds its upstream well at the address it has now."""
    known = {at: fact for at, fact in enumerate(case.facts) if _resolved(fact)}
    called = {str(address) for fact in known.values() for address in _addresses(fact)}
    for complaint in complaints(case):
        if "upstream" not in complaint.line or complaint.address in called:
            continue
        fitting: dict[str, tuple[int, int]] = {}  # one name may be looked up and probed more than once
        for at, fact in known.items():
            for probe in _answered(case, fact, complaint.port):
                fitting.setdefault(_name(fact.attributes.get("query")), (at, probe))
        if len(fitting) == 1:  # else nobody can tell whom the address stood for
            yield complaint, _fact(case, complaint, *next(iter(fitting.values())))


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


def _fact(case: Case, complaint: Complaint, at: int, probe: int) -> JoinedFact:
    name = case.facts[at]
    query, now = str(name.attributes["query"]), str(_addresses(name)[0])
    told = {
        "status": "stale",
        "query": query,
        "addresses": [complaint.address],
        "error": f"{query} resolves to {now} now and answers there, nobody has the old address",
    }
    cited = (*complaint.finding.citations[:1], *case.cite(at, "addresses"), *case.cite(probe, "ok"))
    fact = Fact("dns", complaint.client, told, name.source, name.at)  # type: ignore[arg-type]
    return JoinedFact(fact, cited, complaint.finding.onset)
