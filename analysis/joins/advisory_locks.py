"""Who holds an advisory lock that another session waits for: migrations of two runs, in most cases."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Fact

_FAULT: Final = "database.migration_lock"


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each session that has been granted what a session with the same statement still waits for."""
    sessions = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "session" and _statement(fact)]
    for at, holder in sessions:
        waiting = [(place, fact) for place, fact in sessions if _waits(fact, holder)]
        if holder.attributes.get("granted") is True and waiting:
            place, waiter = waiting[0]
            told = holder.attributes | {"blocks": waiter.attributes["pid"], "application": _client(case, holder)}
            of = _waiter(case, waiter) or _complaining(case) or holder.entity
            fact = Fact("session", of, told, holder.source)
            yield JoinedFact(fact, (*case.cite(at, "query", "client"), *case.cite(place, "query")))


def _statement(fact: Fact) -> str:
    return str(fact.attributes.get("query") or "")


def _waits(fact: Fact, holder: Fact) -> bool:
    alike = fact.entity == holder.entity and _statement(fact) == _statement(holder)
    return alike and fact.attributes.get("granted") is False and "pid" in fact.attributes


def _waiter(case: Case, session: Fact) -> str | None:
    """What runs at the address that the session comes from."""
    return case.inventory.address_owner(_address(session)) if _address(session) else None


def _complaining(case: Case) -> str | None:
    """The only one that says that it cannot have the lock."""
    saying = dict.fromkeys(finding.entity for finding in case.findings if finding.kind == _FAULT)
    return next(iter(saying)) if len(saying) == 1 else None


def _client(case: Case, session: Fact) -> str:
    """Who holds it: by address, by what the session calls itself, or the address alone."""
    owner = _waiter(case, session) or _inspected(case, _address(session))
    own = str(session.attributes.get("application") or "")
    return name_of(owner) if owner else own or _address(session)


def _inspected(case: Case, address: str) -> str | None:
    having = (
        fact for fact in case.facts if fact.kind == "container" and address in texts(fact.attributes, "addresses")
    )
    return next((fact.entity for fact in having), None) if address else None


def _address(session: Fact) -> str:
    return str(session.attributes.get("client") or "").partition("/")[0]
