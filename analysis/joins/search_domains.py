"""Outside names that are answered under a search domain, since that domain has a wildcard record."""

from collections.abc import Iterator

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

_INNER = ("cluster.local", "local", "internal")  # search domains that short names are meant to be found in


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each search domain: a name answered with it that exists without it, or that is in trouble."""
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        query, answered = str(fact.attributes.get("query") or ""), str(fact.attributes.get("answered") or "")
        domain = answered[len(query) + 1 :].lower()
        if fact.kind != "dns" or "." not in query or not domain or domain.endswith(_INNER) or domain in told:
            continue
        itself = _as_itself(case, fact, query)
        if itself or _in_trouble(case, query):
            told.add(domain)
            more = Fact("dns", f"network:{domain}", fact.attributes | {"search": [domain]}, fact.source, fact.at)
            cited = (citation for place in (at, *itself[:1]) for citation in case.cite(place, "addresses"))
            yield JoinedFact(more, tuple(cited))


def _as_itself(case: Case, fact: Fact, query: str) -> list[int]:
    """Places of answers for the name alone that are others."""
    return [
        at
        for at, other in enumerate(case.facts)
        if other.kind == "dns" and other.attributes.get("query") == query and not other.attributes.get("answered")
        if (found := other.attributes.get("addresses")) and found != fact.attributes.get("addresses")
    ]


def _in_trouble(case: Case, query: str) -> bool:
    return any(finding.captures.get("host", "").rstrip(".") == query for finding in case.findings)
