"""A name server that forwards a query to the very one who asked it."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Attribute, Fact

NAME: Final = "dns sent back"
_ASKED, _FORWARDED = "dns-forward-loop/asked", "dns-forward-loop/forwarded"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each server that forwards to an address which asks it."""
    told: set[tuple[str, str]] = set()
    for sent in _of(case, _FORWARDED):
        upstream = sent.captures.get("upstream", "")
        for asked in _of(case, _ASKED):
            back = asked.captures.get("client") == upstream and case.inventory.same(asked.entity, sent.entity)
            if back and not upstream.startswith("127.") and (sent.entity, upstream) not in told:
                told.add((sent.entity, upstream))
                words = f"it forwards queries to {upstream}, which asks it the same in turn"
                attributes: dict[str, Attribute] = {"name": NAME, "text": words, "value": upstream}
                cited = (*asked.citations[:1], *sent.citations[:1])
                yield JoinedFact(Fact("note", sent.entity, attributes), cited, sent.onset)


def _of(case: Case, signature: str) -> list[Finding]:
    return [each for each in case.findings if each.signature == signature and each.citations]
