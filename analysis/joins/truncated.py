"""A name that does not resolve for a program, and whose answer a DNS server cuts."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Fact

FOR_CLIENT: Final = "truncated_for_client"  # `type` of the joined fact; `answered` says what is known of the client
CUT: Final = "truncated"  # what a dns fact's `error` says of such an answer
_FAILS: Final = "dns.resolution_failed"
_MUSL: Final = re.compile(r"musl libc\b(?:.|\n)*?\bVersion (\d+\.\d+(?:\.\d+)?)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program and name: its C library where that is musl, else only that the answer is cut."""
    cut = {_bare(fact.attributes.get("query")): at for at, fact in enumerate(case.facts) if _is_cut(fact)}
    told: set[tuple[str, str]] = set()
    for finding in case.findings:
        name = _bare(finding.captures.get("host"))
        if finding.kind == _FAILS and name in cut and (finding.entity, name) not in told:
            told.add((finding.entity, name))
            yield _joined(case, finding, cut[name])


def _bare(name: object) -> str:
    return str(name or "").rstrip(".").lower()


def _is_cut(fact: Fact) -> bool:
    return fact.kind == "dns" and fact.attributes.get("error") == CUT and bool(fact.attributes.get("query"))


def _joined(case: Case, finding: Finding, cut: int) -> JoinedFact:
    query = str(case.facts[cut].attributes["query"])
    library = next((each for each in enumerate(case.facts) if _musl(case, each[1], finding)), None)
    words = f"{query} fails here" if library is None else f"it runs on musl {_version(library[1])}"
    fact = Fact("dns", finding.entity, {"type": FOR_CLIENT, "query": query, "error": CUT, "answered": words})
    cited = (*case.cite(cut, "error"), *finding.citations[:1])
    return JoinedFact(fact, (*cited, *(case.cite(library[0], "text") if library else ())), finding.onset)


def _musl(case: Case, fact: Fact, finding: Finding) -> bool:
    here = fact.kind == "reading" and case.inventory.same(fact.entity, finding.entity)
    return here and bool(_version(fact))


def _version(fact: Fact) -> str:
    match = _MUSL.search(str(fact.attributes.get("text") or ""))
    return match[1] if match else ""
