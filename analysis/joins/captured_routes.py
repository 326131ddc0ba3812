"""Addresses of elsewhere that this machine sends into a bridge of its own, whose subnet covers them."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "captured_route"
_BRIDGE: Final = re.compile(r"br-[0-9a-f]{6,12}|docker\d+|podman\d+|cni\S*|virbr\d+|lxcbr\d+|lxdbr\d+|kube-bridge")
_ADDRESS: Final = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_UNREACHED: Final = ("network.unreachable", "network.firewall_drop", "probe.failed")
_FIRST: Final = 255  # addresses of a subnet that containers get before any others
_SIXTEENS: Final = IPv4Network("172.16.0.0/12")  # where engines hand out networks of 16 bits; elsewhere of 20
_ASKED_THERE: Final = re.compile(r"ssh\s[^|;]*\bhostname\s+(?:-I|--all-ip-addresses|-i)\b")
_FAILED: Final = re.compile(r"(?i)no route to host|unreachable|timed? ?out")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each bridge that covers an address which cannot be reached from here and is not one of here."""
    bridges = [(at, net) for at, fact in enumerate(case.facts) if (net := _bridge(fact)) is not None]
    bridges.sort(key=lambda each: each[1].prefixlen)  # what `ip route get` tells of one address comes last
    told: set[str] = set()
    for address, cited in _unreached(case) if bridges else ():
        for at, net in bridges:
            device = str(case.facts[at].attributes["device"])
            if device in told or address not in net or case.inventory.address_owner(str(address)):
                continue
            if (proof := _elsewhere(case, address, case.facts[at])) is not None:
                told.add(device)
                yield _joined(case, at, address, net, (*cited, *proof))


def _joined(case: Case, at: int, address: IPv4Address, net: IPv4Network, cited: tuple[Citation, ...]) -> JoinedFact:
    device = str(case.facts[at].attributes["device"])
    name = _network(case, net) or device
    told = Fact("note", f"network:{name}", {"name": NAME, "text": f"{device}, {net}", "value": str(address)})
    return JoinedFact(told, (*case.cite(at, "destination", "device"), *cited))


def _bridge(fact: Fact) -> IPv4Network | None:
    """The subnet that a route hands to a local bridge."""
    local = fact.kind == "route" and not fact.attributes.get("gateway") and _is_bridge(fact)
    return _subnet(fact) if local else None


def _is_bridge(fact: Fact) -> bool:
    return _BRIDGE.fullmatch(str(fact.attributes.get("device") or "")) is not None


def _subnet(route: Fact) -> IPv4Network | None:
    """Where a route leads; nothing for the default route and for what is not IPv4."""
    try:
        net = ip_network(str(route.attributes.get("destination")))
    except ValueError:
        return None
    return net if isinstance(net, IPv4Network) and net.prefixlen else None


def _unreached(case: Case) -> Iterator[tuple[IPv4Address, tuple[Citation, ...]]]:
    """Addresses that somebody here could not reach, with where that is told."""
    for finding in case.findings:
        if finding.kind in _UNREACHED:
            quotes = (citation.quote or "" for citation in finding.citations)
            for text in (finding.statement, *finding.captures.values(), *quotes):
                yield from ((each, finding.citations[:1]) for each in _addresses(text))
    for at, fact in enumerate(case.facts):
        failed = fact.kind == "probe" and fact.attributes.get("ok") is False
        if failed and _FAILED.search(str(fact.attributes.get("error") or "")):
            yield from ((each, case.cite(at, "error")) for each in _addresses(str(fact.attributes.get("host") or "")))


def _addresses(text: str) -> Iterator[IPv4Address]:
    for found in _ADDRESS.findall(text):
        try:
            yield IPv4Address(found)
        except ValueError:
            continue


def _elsewhere(case: Case, address: IPv4Address, route: Fact) -> tuple[Citation, ...] | None:
    """Where it is told that the address is another machine's: reached from elsewhere or by a route that lost, or the
    bridge is new.
    """
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        if fact.kind == "route" and not _is_bridge(fact) and _meant_by(fact, address, _subnet(route)):
            return case.cite(at, "destination", "device")
        if fact.kind == "probe" and told.get("ok") is True and told.get("host") == str(address):
            return case.cite(at, "ok")
        asked = fact.kind == "reading" and _ASKED_THERE.match(str(told.get("command") or ""))
        if asked and str(address) in str(told.get("text") or "").split():
            return case.cite(at, "text")  # another machine, reached by another way, says that it is its own
        device = str(route.attributes["device"]).removeprefix("br-")
        if fact is route and told.get("destination") == str(address) and _is_far(address, _around(case, route)):
            return ()  # `ip route get`: somebody who knows that it is elsewhere asked where it is sent
        created = fact.kind == "event" and told.get("type") == "network" and told.get("reason") == "create"
        if created and _is_far(address, _subnet(route)) and str(told.get("object") or "").startswith(device):
            return case.cite(at, "reason")
    return None


def _meant_by(fact: Fact, address: IPv4Address, bridge: IPv4Network | None) -> bool:
    """Whether a route leads there, and not only to a wide range: engines hand out a subnet's first addresses."""
    net = _subnet(fact)
    if net is None or bridge is None or address not in net or net.prefixlen == 32:
        return False
    return net.prefixlen >= bridge.prefixlen or _is_far(address, bridge)


def _is_far(address: IPv4Address, bridge: IPv4Network | None) -> bool:
    """Whether it is not one of those that containers of the bridge get first."""
    return bridge is not None and int(address) - int(bridge.network_address) > _FIRST


def _around(case: Case, asked: Fact) -> IPv4Network | None:
    """The subnet of the bridge that an address was asked for; one that nobody tells is as wide as engines make it."""
    address = IPv4Address(str(asked.attributes["destination"]))
    nets = [net for fact in case.facts if (net := _bridge(fact)) is not None and address in net]
    wider = [net for net in nets if net.prefixlen < 32]
    width = 16 if address in _SIXTEENS else 20
    return max(wider, key=lambda net: net.prefixlen) if wider else IPv4Network((address, width), strict=False)


def _network(case: Case, net: IPv4Network) -> str:
    """The engine's name of the network that has the subnet."""
    for fact in case.facts:
        if fact.kind == "docker_network" and str(net) in texts(fact.attributes, "subnet"):
            return name_of(fact.entity)
        for pair in texts(fact.attributes, "networks") if fact.kind == "container" else ():
            name, _, address = pair.partition("=")
            if any(each in net for each in _addresses(address)):
                return name
    return ""
