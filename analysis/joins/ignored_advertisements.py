"""A machine that became a router and so ignores the router advertisements its own IPv6 route came from."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "router advertisements ignored"
_ACCEPT: Final = re.compile(r"net\.ipv6\.conf\.(?P<device>[\w-]+)\.accept_ra")
_ROUTER: Final = re.compile(r"net\.ipv6\.conf\.(?:all|default|[\w-]+)\.forwarding")
_NO_ROUTE: Final = re.compile(r"(?i)IPv6: .*default route expired|\[[0-9a-f:]+\].*Network is unreachable")
_EXPIRED: Final = re.compile(r"(?i)ip -6 route(?: show)?(?: default)?$")


def joined(case: Case) -> Iterator[JoinedFact]:
    """Forwarding on and accept_ra 1 of one device, and no default route."""
    accepts = _setting(case, _ACCEPT)
    of = case.facts[accepts].entity if accepts is not None else ""
    routes = _setting(case, _ROUTER, of)
    lost = next((at for at, fact in enumerate(case.facts) if _is_lost(fact)), None)
    said = case.quoted(_NO_ROUTE)
    if accepts is not None and routes is not None and (lost is not None or said is not None):
        words = "IPv6 forwarding is on and accept_ra is 1, so router advertisements are ignored"
        cited = (*case.cite(accepts, "value"), *case.cite(routes, "value"), *(() if said is None else (said,)))
        yield JoinedFact(Fact("note", case.facts[accepts].entity, {"name": NAME, "text": words}), cited)


def _is_lost(fact: Fact) -> bool:
    asked = fact.kind == "reading" and _EXPIRED.search(str(fact.attributes.get("command") or ""))
    return bool(asked) and not str(fact.attributes.get("text") or "").strip()


def _setting(case: Case, name: re.Pattern[str], of: str = "") -> int | None:
    """The first setting of this name that is 1, of one machine where it is told which."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        named = fact.kind == "setting" and name.fullmatch(str(told.get("name")))
        if named and str(told.get("value")) == "1" and of in ("", fact.entity):
            return at
    return None
