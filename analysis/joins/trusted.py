"""Proxies that a program refuses, although its setting names trusted ones: the address is none of them."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Fact

_FAULT: Final = "config.untrusted_proxy"
_NAME: Final = re.compile(r"(?i)trusted_?-?(?:prox(?:y|ies)|ips)|known_?prox(?:y|ies)|real_ip_from|forwarded_allow_ips")
_RANGE: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d+)?|[0-9a-fA-F]*:[0-9a-fA-F:]+(?:/\d+)?")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program and proxy that it refuses: the network it calls from, and what is trusted instead."""
    trusted = list(_trusted(case))
    told: set[tuple[str, str]] = set()
    for finding in case.findings:
        proxy = finding.captures.get("proxy", "")
        if finding.kind == _FAULT and _network(proxy) and trusted and (finding.entity, proxy) not in told:
            told.add((finding.entity, proxy))
            if not any(_holds(each, proxy) for each, _ in trusted):
                yield _outside(case, finding, proxy, trusted)


def _trusted(case: Case) -> Iterator[tuple[str, int]]:
    """Addresses and ranges that a setting or variable trusts, each with the place of its fact."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "setting" and _NAME.search(str(fact.attributes.get("name"))):
            yield from ((each, at) for each in _RANGE.findall(str(fact.attributes.get("value"))))
        for variable in texts(fact.attributes, "env") if fact.kind == "container" else ():
            name, _, value = variable.partition("=")
            if _NAME.search(name):
                yield from ((each, at) for each in _RANGE.findall(value))


def _holds(trusted: str, address: str) -> bool:
    network, of = _network(trusted), _network(address)
    return network is not None and of is not None and of.version == network.version and of.network_address in network


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _outside(case: Case, finding: Finding, proxy: str, trusted: list[tuple[str, int]]) -> JoinedFact:
    network = next(iter(_networks(case, proxy)), "")
    names = ", ".join(dict.fromkeys(each for each, _ in trusted))
    fact = Fact("docker_network", finding.entity, {"trusted": names, "addresses": [proxy]}, finding.citations[0].source)
    if network:
        fact.attributes["name"] = network
    places = dict.fromkeys(at for _, at in trusted)
    cited = (*finding.citations[:1], *(each for at in places for each in case.cite(at, "value", "env")))
    return JoinedFact(fact, cited, finding.onset)


def _networks(case: Case, address: str) -> Iterator[str]:
    """The networks in which a container has the address."""
    for fact in case.facts:
        for told in texts(fact.attributes, "networks") if fact.kind == "container" else ():
            name, _, of = told.partition("=")
            if of == address:
                yield name
