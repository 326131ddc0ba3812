"""Addresses that a database server blocks: who has them, so that it is plain whose connections were counted."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.sides import sided
from domain.entity import name_of
from domain.facts import Attribute, Fact

_FAULT: Final = "database.host_blocked"
STATE: Final = "host blocked"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each blocked address that a container has which is not the one that complains."""
    told: set[str] = set()
    for finding in case.findings:
        client = finding.captures.get("client", "")
        owner = case.inventory.address_owner(client) if finding.kind == _FAULT and client not in told else None
        if owner and not case.inventory.same(owner, finding.entity):
            told.add(client)
            at = next((at for at, f in enumerate(case.facts) if f.entity == owner and f.kind == "container"), None)
            cited = (*finding.citations[:1], *(() if at is None else case.cite(at, "addresses", "networks")))
            who: dict[str, Attribute] = {"client": client, "application": name_of(owner), "state": STATE}
            yield JoinedFact(
                Fact("session", sided(case, finding).entity, who, finding.citations[0].source), cited, finding.onset
            )
