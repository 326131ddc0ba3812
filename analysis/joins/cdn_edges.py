"""A CDN or tunnel before the origin that refuses or gives up by itself, while the origin answers the same request."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import entity, name_of
from domain.evidence import Finding
from domain.facts import Fact

BODY: Final = "edge_body_limit"
NEAR: Final = "edge_body_limit_likely"
TIMEOUT: Final = "edge_timeout"
_EDGES: Final = re.compile(
    r"(?i)\b(?P<name>cloudflare|cloudfront|akamai|fastly|varnish|awselb|google frontend|vercel|netlify|bunnycdn|sucuri|"
    r"imperva|azure|frontdoor|stackpath|keycdn|gcore)"
)
_OWN: Final = ("520", "521", "522", "523", "524", "525", "526", "530")  # of Cloudflare alone
_TUNNEL: Final = re.compile(r"(?:^|/)cloudflared?(?::|$)")
# A path that every server has: it is no common name of a request and another one.
_ANYWHERE: Final = re.compile(
    r"(?i)/?(?:index\.html?|-?/?(?:health|healthz|healthcheck|ready|readyz|live|livez|ping|status|metrics|version)/?)?$"
)
_TOO_LARGE: Final = "proxy.request_too_large"
_ANY_BODY: Final = "proxy-request-too-large/others"  # what a client or framework is told; all others name who refused


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each edge that answers 413 or a time-out of its own."""
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        edge = _edge(fact)
        name = _refusal(case, fact) if edge else ""
        if name and name not in told:
            told.add(name)
            text = f"{edge} answers {fact.attributes.get('status')} for {fact.attributes.get('target')}"
            direct = _direct(case, fact)
            more = f"; asked directly ({_target(case.facts[direct])}) the origin answers" if direct is not None else ""
            cited = (*case.cite(at, "status", "server"), *(case.cite(direct, "status") if direct is not None else ()))
            yield JoinedFact(Fact("note", entity("external", edge), {"name": name, "text": text + more}), cited, None)
    if BODY not in told and (refused := _unowned(case)):
        yield from _behind_tunnel(case, refused)


def _edge(fact: Fact) -> str:
    """The name of the edge that answered a probe, by its Server header or a status that only one has."""
    match = _EDGES.search(str(fact.attributes.get("server") or "")) if fact.kind == "probe" else None
    if match:
        return match["name"].lower()
    own = fact.kind == "probe" and fact.attributes.get("type") == "http" and str(fact.attributes.get("status")) in _OWN
    return "cloudflare" if own else ""


def _refusal(case: Case, fact: Fact) -> str:
    """What the edge did by itself: its own status, or a refusal that the origin does not share."""
    status = str(fact.attributes.get("status") or "")
    if status == "524":
        return TIMEOUT
    if status == "413" and not _origin_refuses(case):
        return BODY
    return TIMEOUT if status == "504" and _direct(case, fact) is not None else ""


def _direct(case: Case, fact: Fact) -> int | None:
    """The place of the same request that went past the edge, and was answered well."""
    path = _path(fact)
    for at, other in enumerate(case.facts):
        if other.kind == "probe" and other.attributes.get("type") == "http" and other.attributes.get("ok") is True:
            same_host = _target(other) == _target(fact)
            past = other.attributes.get("address") if same_host else not _ANYWHERE.fullmatch(path)
            if past and not _edge(other) and _path(other) == path:
                return at
    return None


def _path(fact: Fact) -> str:
    return urlsplit(str(fact.attributes.get("target") or "")).path


def _target(fact: Fact) -> str:
    return str(fact.attributes.get("host") or fact.attributes.get("target") or "")


def _origin_refuses(case: Case) -> bool:
    return any(each.kind == _TOO_LARGE and each.signature != _ANY_BODY for each in case.findings)


def _unowned(case: Case) -> Finding | None:
    """A client's 413 that no server behind the edge has written of."""
    if _origin_refuses(case):
        return None
    return next((each for each in case.findings if each.signature == _ANY_BODY), None)


def _behind_tunnel(case: Case, refused: Finding) -> Iterator[JoinedFact]:
    """Where a tunnel of the CDN runs here, its edge is before everything that a client reaches."""
    for at, fact in enumerate(case.facts):
        images = texts(fact.attributes, "image") if fact.kind == "container" else ()
        runs = any(_TUNNEL.search(image) for image in images) and fact.attributes.get("state") in (None, "running")
        if runs and not case.inventory.same(refused.entity, fact.entity):
            text = f"a client gets 413 through the tunnel {name_of(fact.entity)}; no server behind it refused a body"
            cited = (*refused.citations[:1], *case.cite(at, "image"))
            told = Fact("note", entity("external", "cloudflare"), {"name": NEAR, "text": text})
            yield JoinedFact(told, cited, refused.onset)
            return
