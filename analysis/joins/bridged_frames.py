"""Bridged frames of guests that the packet filter of their host drops, since an engine set its policy."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "bridged frames dropped"
# Policy and setting are those of every machine with an engine: only where guests share it are frames lost.
_GUESTS: Final = re.compile(
    r"(?i)\b(?:virbr|vnet|macvtap|tap|vmbr|lxcbr|lxdbr|incusbr)\d|\b(?:br|bridge)\d+\b|\b(?:qemu|kvm|libvirt\w*|virsh|lxc|lxd|incus|proxmox|"
    r"virtual machines?|vms?|guests?)\b"
)
_BRIDGED: Final = "net.bridge.bridge-nf-call-iptables"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for a host whose policy of FORWARD is DROP, and that sends bridged frames through it."""
    bridged = next((at for at, fact in enumerate(case.facts) if _filters(fact)), None)
    policy = next((at for at, fact in enumerate(case.facts) if _drops(fact)), None)
    if bridged is not None and policy is not None and _has_guests(case):
        text = f"the policy of FORWARD is DROP, and {_BRIDGED} is 1, so frames between bridged guests are dropped too"
        cited = (*case.cite(bridged, "value"), *case.cite(policy, "policy"))
        yield JoinedFact(Fact("note", case.facts[bridged].entity, {"name": NAME, "text": text}), cited)


def _has_guests(case: Case) -> bool:
    """Whether anything that was found or read is about guests on a bridge of the machine."""
    said = (words for each in case.findings for words in (each.statement, *(c.quote or "" for c in each.citations)))
    read = (str(value) for fact in case.facts for value in (fact.entity, *fact.attributes.values()))
    return any(_GUESTS.search(words) for texts in ((case.incident.title,), said, read) for words in texts)


def _filters(fact: Fact) -> bool:
    told = fact.attributes
    return fact.kind == "setting" and told.get("name") == _BRIDGED and str(told.get("value")) == "1"


def _drops(fact: Fact) -> bool:
    told = fact.attributes
    return fact.kind == "firewall" and told.get("chain") == "FORWARD" and told.get("policy") == "DROP"
