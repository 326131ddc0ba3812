"""Whose heartbeats a broker missed: the client of the connection that it closed for them."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "heartbeats missed"
_MISSED: Final = "queue-heartbeat-missed/missed"
_CLOSED: Final = "queue-heartbeat-missed/closed"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each client whose connection the same log says was closed beside missed heartbeats."""
    missed = [each for each in case.findings if each.signature == _MISSED and each.citations]
    told: set[str] = set()
    for closed in (each for each in case.findings if each.signature == _CLOSED and each.citations):
        near = next((m for m in missed if m.citations[0].source == closed.citations[0].source), None)
        if near is not None and closed.entity not in told and not case.inventory.same(near.entity, closed.entity):
            told.add(closed.entity)
            text = f"no heartbeat within {near.captures.get('timeout', 'the time-out')}"
            cited = (*near.citations[:1], *closed.citations[:1])
            yield JoinedFact(Fact("note", closed.entity, {"name": NAME, "text": text}), cited, closed.onset)
