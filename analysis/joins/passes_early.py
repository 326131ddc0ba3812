"""A database that was called healthy while only its temporary server of the first start ran."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "passed_in_init"
_BEGAN: Final = "health-check-passes-early/temporary"
_DONE: Final = "health-check-passes-early/init_done"
_BY_NETWORK: Final = re.compile(
    r"127\.0\.0\.1|\[?::1|0\.0\.0\.0|--protocol[= ]tcp|--connect\b|\$\(hostname|/dev/tcp/|\bnc "
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container whose first healthy event lies before the end of its init process."""
    ends = [each for each in case.findings if each.signature == _DONE and each.onset]
    for began in case.findings:
        if began.signature != _BEGAN or began.onset is None:
            continue
        end = next((each.onset for each in ends if case.inventory.same(each.entity, began.entity)), None)
        healthy = _healthy(case, began, began.onset, end) if end else None
        command = _command(case, began)
        if healthy is not None and not _BY_NETWORK.search(command):
            yield _joined(case, began, healthy, command)


def _healthy(case: Case, began: Finding, start: datetime, end: datetime) -> int | None:
    """The place of the event that called it healthy while its temporary server ran."""
    for at, fact in enumerate(case.facts):
        told = fact.kind == "event" and fact.attributes.get("reason") == "health_status"
        if not told or fact.attributes.get("message") != "healthy" or fact.at is None:
            continue
        if case.inventory.same(fact.entity, began.entity) and start <= fact.at < end:
            return at
    return None


def _command(case: Case, began: Finding) -> str:
    own = (fact for fact in case.facts if fact.kind == "container" and case.inventory.same(fact.entity, began.entity))
    return next((str(told) for fact in own if (told := fact.attributes.get("health_command"))), "")


def _joined(case: Case, began: Finding, healthy: int, command: str) -> JoinedFact:
    event = case.facts[healthy]
    seconds = int((event.at - began.onset).total_seconds()) if event.at and began.onset else 0
    fact = Fact("note", event.entity, {"name": NAME, "text": command, "value": seconds})
    return JoinedFact(fact, (*case.cite(healthy, "message"), *began.citations[:1]), event.at)
