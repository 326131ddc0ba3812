"""A server that sends its certificate alone, without the one that issued it, and clients that cannot verify it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "chain of one"
_DEPTH: Final = re.compile(r"^\s*(\d) s:", re.MULTILINE)
_ISSUED: Final = re.compile(r"^\s*0 s:(?P<subject>.*)\n\s*i:(?P<issuer>.*)", re.MULTILINE)
_UNVERIFIED: Final = re.compile(
    r"(?i)unable to verify the (?:first|leaf)|UNABLE_TO_VERIFY_NAME|return code: 21\b|unable to get local issuer"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """A chain of one certificate, that is not its own issuer, from a server that clients cannot verify."""
    unverified = case.quoted(_UNVERIFIED)
    for at, fact in enumerate(case.facts):
        text = str(fact.attributes.get("text") or "") if fact.kind == "reading" else ""
        issued = _ISSUED.search(text)
        alone = issued and _DEPTH.findall(text) == ["0"] and issued["subject"].strip() != issued["issuer"].strip()
        if issued and alone and (unverified is not None or _UNVERIFIED.search(text)):
            words = f"the server sends one certificate alone, issued by {issued['issuer'].strip()}"
            cited = (*case.cite(at, "text"), *(() if unverified is None else (unverified,)))
            yield JoinedFact(Fact("note", _server(fact), {"name": NAME, "text": words}), cited)
            return


def _server(fact: Fact) -> str:
    match = re.search(r"-(?:connect|servername) ([\w.-]+)", str(fact.attributes.get("command") or ""))
    return f"certificate:{match[1]}" if match else fact.entity
