"""Bridged frames of guests that the packet filter of their host drops, since an engine set its policy."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "bridged frames dropped"
_BRIDGED: Final = "net.bridge.bridge-nf-call-iptables"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for a host whose policy of FORWARD is DROP, and that sends bridged frames through it."""
    bridged = next((at for at, fact in enumerate(case.facts) if _filters(fact)), None)
    policy = next((at for at, fact in enumerate(case.facts) if _drops(fact)), None)
    if bridged is not None and policy is not None:
        text = f"the policy of FORWARD is DROP, and {_BRIDGED} is 1, so frames between bridged guests are dropped too"
        cited = (*case.cite(bridged, "value"), *case.cite(policy, "policy"))
        yield JoinedFact(Fact("note", case.facts[bridged].entity, {"name": NAME, "text": text}), cited)


def _filters(fact: Fact) -> bool:
    told = fact.attributes
    return fact.kind == "setting" and told.get("name") == _BRIDGED and str(told.get("value")) == "1"


def _drops(fact: Fact) -> bool:
    told = fact.attributes
    return fact.kind == "firewall" and told.get("chain") == "FORWARD" and told.get("policy") == "DROP"
