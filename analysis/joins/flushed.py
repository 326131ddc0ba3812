"""Published ports without the engine's rules: the NAT table was listed as a whole, and has no chain of the engine."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.machines import several_machines
from domain.facts import Fact

NAME: Final = "engine chains missing"
_BUILT_IN: Final = {"PREROUTING", "POSTROUTING"}  # a listing that has both is one of the whole table
_FELT: Final = ("network.unreachable", "network.packets_dropped", "network.firewall", "probe.failed")
_OTHER_ENGINE: Final = re.compile(
    r"(?i)podman|netavark|rootless(?!ly)|slirp4netns|\bpasta\b|\bconmon\b|nerdctl|firewall.?backend\W+nftables"
)
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
    if several_machines(case) or _is_of_another_engine(case) or not _is_felt(case):
        return
    at = listed[0][0]
    host = next((f.entity for f in case.facts if f.entity.startswith("host:")), "host:localhost")
    told = Fact("note", host, {"name": NAME, "text": "nat", "value": published[1]})
    yield JoinedFact(told, (*case.cite(at, "chain"), *case.cite(published[0], *published[2:])))


def _is_felt(case: Case) -> bool:
    """Whether a connection fails or rules were taken away: some engines keep their rules in tables of their own."""
    told = (fact.attributes for fact in case.facts if fact.kind == "probe")
    failed = any(each.get("ok") is False and each.get("status") in (None, "000") for each in told)
    return failed or any(finding.kind.startswith(_FELT) for finding in case.findings)


def _is_of_another_engine(case: Case) -> bool:
    """Whether anything tells of an engine, or of a backend of Docker, that does without the NAT table."""
    values = (fact.attributes.values() for fact in case.facts if fact.kind not in ("image", "package"))
    return any(isinstance(value, str) and _OTHER_ENGINE.search(value) for told in values for value in told)


def _published(case: Case) -> tuple[int, str, str] | None:
    """Where a container's published port is told, and which."""
    for at, fact in enumerate(case.facts):
        for name in ("ports", "text"):
            if fact.kind in ("container", "reading"):
                for text in texts(fact.attributes, name):
                    if match := _PUBLISHED.search(text):
                        return at, match[0], name
    return None
