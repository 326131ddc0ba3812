"""Names that lead to containers of more than one project, since their stacks share a network."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Fact
from domain.fault import family_of

NAME: Final = "shared_alias"
_FELT: Final = ("credentials", "database", "data")  # what a client meets at the wrong server


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each service name of two projects on one network where a client has trouble with a server."""
    for (network, alias), members in sorted(_by_alias(case).items()):
        if len({str(case.facts[at].attributes.get("project")) for at in members}) < 2 or not _is_felt(case, network):
            continue
        text = " and ".join(sorted(name_of(case.facts[at].entity) for at in members))
        told = {"name": NAME, "text": text, "value": alias}
        cited = tuple(citation for at in members for citation in case.cite(at, "service", "project"))
        yield JoinedFact(Fact("note", f"network:{network}", dict(told)), cited)


def _by_alias(case: Case) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, fact in enumerate(case.facts):
        service = str(fact.attributes.get("service") or "")
        member_of = fact.attributes.get("networks")
        if fact.kind == "container" and service and isinstance(member_of, list):
            for network in member_of:
                found[str(network).partition("=")[0], service].append(at)
    return found


def _is_felt(case: Case, network: str) -> bool:
    """Whether somebody on the network is refused by, or finds wrong data at, a server."""
    on = [f.entity for f in case.facts if f.kind == "container" and _is_on(f, network)]
    felt = [finding.entity for finding in case.findings if family_of(finding.kind) in _FELT]
    return any(case.inventory.same(of, one) for of in felt for one in on)


def _is_on(fact: Fact, network: str) -> bool:
    member_of = fact.attributes.get("networks")
    return isinstance(member_of, list) and any(str(each).partition("=")[0] == network for each in member_of)
