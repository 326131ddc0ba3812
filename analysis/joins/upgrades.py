"""A proxy whose location was shown and passes no WebSocket upgrade on, before a server that misses it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "upgrade not passed on"
_MISSED: Final = re.compile(
    r"(?i)No WebSocket UPGRADE hdr|only to \"?WebSocket|token not found in '(?:Connection|Upgrade)' header|"
    r"not using the websocket protocol|(?:missing|no)\b.{0,30}upgrade.{0,20}header|WebSocket handshake.{0,40}\b4\d\d\b"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for the proxy: where the victim speaks, the culprit is silent."""
    missed, shown = _missed(case), _shown(case)
    if missed is not None and shown is not None:
        of = case.facts[shown].entity
        text = "its location sets no Upgrade header, so the WebSocket upgrade ends at the proxy"
        yield JoinedFact(Fact("note", of, {"name": NAME, "text": text}), (missed, *case.cite(shown, "value")))


def _missed(case: Case) -> Citation | None:
    quoted = (citation for finding in case.findings for citation in finding.citations)
    return next((citation for citation in quoted if _MISSED.search(citation.quote or "")), None)


def _shown(case: Case) -> int | None:
    """A proxy_pass where nothing of the same configuration is about an upgrade."""
    for at, fact in enumerate(case.facts):
        if fact.kind != "setting" or not str(fact.attributes.get("name")).endswith("proxy_pass"):
            continue
        beside = (each.attributes for each in case.facts if each.kind == "setting" and each.entity == fact.entity)
        if not any("upgrade" in f"{each.get('name')} {each.get('value')}".lower() for each in beside):
            return at
    return None
