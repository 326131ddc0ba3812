"""A proxy whose location was shown and passes no WebSocket upgrade on, before a server that misses it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.proxies import silent_about
from domain.facts import Fact

NAME: Final = "upgrade not passed on"
_MISSED: Final = re.compile(
    r"(?i)No WebSocket UPGRADE hdr|only to \"?WebSocket|token not found in '(?:Connection|Upgrade)' header|"
    r"not using the websocket protocol|(?:missing|no)\b.{0,30}upgrade.{0,20}header|WebSocket handshake.{0,40}\b4\d\d\b"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for the proxy: where the victim speaks, the culprit is silent."""
    missed, shown = case.quoted(_MISSED), silent_about(case, "upgrade")
    if missed is not None and shown is not None:
        of = case.facts[shown].entity
        text = "its location sets no Upgrade header, so the WebSocket upgrade ends at the proxy"
        yield JoinedFact(Fact("note", of, {"name": NAME, "text": text}), (missed, *case.cite(shown, "value")))
