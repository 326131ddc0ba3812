"""Published ports without the engine's rules: the NAT table was listed as a whole, and has no chain of the engine."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "engine chains missing"
_BUILT_IN: Final = {"PREROUTING", "POSTROUTING"}  # a listing that has both is one of the whole table
_PUBLISHED: Final = re.compile(r"(?:[\d.:\[\]]*:)?\d+->\d+/(?:tcp|udp|sctp)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact, where ports are published and the NAT table knows nothing of them."""
    listed = [(at, f) for at, f in enumerate(case.facts) if f.kind == "firewall" and f.attributes.get("table") == "nat"]
    chains = {str(fact.attributes.get("chain") or "") for _, fact in listed}
    others = {chain for chain in chains if re.match(r"DOCKER|NETAVARK|CNI|KUBE|POD", chain)}
    jumps = any(re.match(r"DOCKER|NETAVARK|CNI|KUBE", str(f.attributes.get("target") or "")) for _, f in listed)
    published = _published(case)
    if others or jumps or not chains >= _BUILT_IN or published is None:
        return
    at = listed[0][0]
    host = next((f.entity for f in case.facts if f.entity.startswith("host:")), "host:localhost")
    told = Fact("note", host, {"name": NAME, "text": "nat", "value": published[1]})
    yield JoinedFact(told, (*case.cite(at, "chain"), *case.cite(published[0], *published[2:])))


def _published(case: Case) -> tuple[int, str, str] | None:
    """Where a container's published port is told, and which."""
    for at, fact in enumerate(case.facts):
        for name in ("ports", "text"):
            if fact.kind in ("container", "reading"):
                for text in texts(fact.attributes, name):
                    if match := _PUBLISHED.search(text):
                        return at, match[0], name
    return None
