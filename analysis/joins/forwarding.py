"""A host that was asked whether it forwards packets, and does not."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "forwarding off"
_FORWARD: Final = ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding")
# A dump of all settings is no statement about one of them: on a host without bridges zero is as it should be.
_ASKED: Final = 8


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact where the setting was read among few others."""
    settings = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "setting"]
    sources = Counter(fact.source for _, fact in settings)
    for at, fact in settings:
        name, value = str(fact.attributes.get("name")), str(fact.attributes.get("value"))
        inside = fact.entity.startswith(("container:", "pod:"))  # a network of its own, which need not forward
        if name in _FORWARD and value == "0" and not inside and sources[fact.source] <= _ASKED:
            text = f"{name} is 0: the host forwards no packets of its containers"
            yield JoinedFact(Fact("note", fact.entity, {"name": NAME, "text": text}), case.cite(at, "value"))
            return
