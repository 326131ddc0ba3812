"""TLS upstreams that want the server name (SNI), and a proxy that does not send it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.proxies import silent_about
from domain.facts import Fact

NAME: Final = "upstream needs sni"
_SETTING: Final = "proxy_ssl_server_name"
_FAILED: Final = re.compile(r"SSL_do_handshake\(\) failed")
_NAMELESS: Final = re.compile(
    r"(?i)alert handshake failure|unrecognized name|alert number (?:40|112)|no peer certificate"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for a proxy whose handshakes fail where a handshake without name is refused."""
    failed, shown = case.quoted(_FAILED), silent_about(case, _SETTING)
    refused = next((at for at, fact in enumerate(case.facts) if _refuses_nameless(fact)), None)
    if failed is not None and shown is not None and refused is not None:
        text = f"the upstream refuses a TLS handshake without server name (SNI), and {_SETTING} is not set"
        cited = (failed, *case.cite(shown, "value"), *case.cite(refused, "text", "error"))
        yield JoinedFact(Fact("note", case.facts[shown].entity, {"name": NAME, "text": text}), cited)


def _refuses_nameless(fact: Fact) -> bool:
    told = fact.attributes
    asked = f"{told.get('command') or ''} {told.get('target') or ''}"
    said = f"{told.get('text') or ''} {told.get('error') or ''}"
    return "-noservername" in asked and bool(_NAMELESS.search(said))
