"""Servers behind TLS that send clients to plain HTTP at the same name: nobody told them the scheme."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "http location behind https"
_ASKED: Final = re.compile(r"https://([\w.-]+)(\S*)")
_LOCATION: Final = re.compile(r"(?im)^location: http://([\w.-]+)(\S*)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for an https request whose answer leads to http of the same name, and not only up to the root."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        command = str(told.get("command") or told.get("target") or "")
        said = str(told.get("text") or told.get("body") or "")
        asked, led = _ASKED.search(command), _LOCATION.search(said)
        if asked and led and asked[1].lower() == led[1].lower():
            text = f"a request to https://{asked[1]} is answered with the location http://{led[1]}"
            of = _behind(case) or fact.entity
            yield JoinedFact(Fact("note", of, {"name": NAME, "text": text}), case.cite(at, "text", "body", "target"))
            return


def _behind(case: Case) -> str:
    """The server behind: what the alert is about, if it runs here."""
    return next((each for each in case.alerted if each.partition(":")[0] in ("container", "service")), "")
