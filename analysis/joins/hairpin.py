"""A name that leads to the site's own public address, silent from inside and answered elsewhere."""

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Attribute, Fact

TYPE: Final = "hairpin"
_SILENT: Final = re.compile(r"(?i)no answer|timed? ?out|timeout|unreachable")
_ASKS_OWN: Final = re.compile(
    r"(?i)ifconfig\.|icanhazip|ipify|ipinfo|myip|whatismyip|upnpc|external.?ip|wan.?ip|checkip"
)
_INSIDE: Final = tuple(
    ip_network(each)
    for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10")
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each name of the own public address that one probe got no answer from, and another did."""
    own = dict(_own_addresses(case))
    for at, fact in enumerate(case.facts):
        query = str(fact.attributes.get("query") or "")
        public = next((each for each in texts(fact.attributes, "addresses") if each in own), None)
        if fact.kind != "dns" or not query or public is None:
            continue
        probes = [(place, each) for place, each in enumerate(case.facts) if _asks(each, query)]
        told = ((silent, answered) for silent, asked in probes if _is_silent(asked)
                for answered, other in probes if _answers_elsewhere(other, asked))  # fmt: skip
        if (pair := next(told, None)) is not None:
            yield _joined(case, (at, own[public], *pair), query, public)


def _own_addresses(case: Case) -> Iterator[tuple[str, int]]:
    """Public addresses that a service of "what is my address" told, and that no interface here has."""
    local = {
        text.partition("/")[0]
        for fact in case.facts
        if fact.kind == "interface"
        for text in texts(fact.attributes, "addresses")
    }
    for at, fact in enumerate(case.facts):
        asked = fact.kind == "reading" and _ASKS_OWN.search(str(fact.attributes.get("command") or ""))
        body = str(fact.attributes.get("text" if asked else "body") or "").strip()
        if (asked or fact.kind == "probe") and body not in local and _is_public(body):
            yield body, at


def _is_public(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return address.version == 4 and not any(address in network for network in _INSIDE)


def _asks(fact: Fact, query: str) -> bool:
    return fact.kind == "probe" and str(fact.attributes.get("host") or "").lower() == query.lower()


def _is_silent(fact: Fact) -> bool:
    return fact.attributes.get("ok") is False and bool(_SILENT.search(str(fact.attributes.get("error") or "")))


def _answers_elsewhere(fact: Fact, silent: Fact) -> bool:
    """Whether another machine asked, or another address was: what answers on the same way was only down before."""
    told, asked = fact.attributes, silent.attributes
    other = told.get("asker") != asked.get("asker") or told.get("address") != asked.get("address")
    return told.get("ok") is True and other


def _joined(case: Case, places: tuple[int, int, int, int], query: str, public: str) -> JoinedFact:
    name, own, silent, answered = places
    told: dict[str, Attribute] = {"type": TYPE, "query": query, "addresses": [public]}
    cited = (*case.cite(own, "body", "text"), *case.cite(name, "addresses"))
    cited = (*cited, *case.cite(silent, "error"), *case.cite(answered, "status"))
    return JoinedFact(Fact("dns", case.facts[name].entity, told), cited)
