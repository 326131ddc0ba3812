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
    sessions = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "session" and _is_advisory(fact)]
    waiting = _waiting(sessions)
    for at, holder in sessions:
        waiters = waiting.get(_lock(holder)) if holder.attributes.get("granted") is True else None
        if waiters and _pid(holder) not in waiters:
            place = next(iter(waiters.values()))
            waiter = case.facts[place]
            told = holder.attributes | {"blocks": waiter.attributes["pid"], "application": _client(case, holder)}
            of = _waiter(case, waiter) or _complaining(case) or holder.entity
            fact = Fact("session", of, told, holder.source)
            yield JoinedFact(fact, (*case.cite(at, "query", "client"), *case.cite(place, "query")))


def _statement(fact: Fact) -> str:
    return str(fact.attributes.get("query") or "")


def _is_advisory(fact: Fact) -> bool:
    """Whether it tells of such a lock; each session also holds others, such as that of its own transaction."""
    kind = str(fact.attributes.get("lock_type") or "").lower()
    known = kind in ("", "advisory") or "get_lock" in _statement(fact).lower()
    return known and bool(_statement(fact)) and "pid" in fact.attributes


def _lock(fact: Fact) -> tuple[str, str]:
    return fact.entity, _statement(fact)


def _pid(fact: Fact) -> str:
    return str(fact.attributes.get("pid"))


def _waiting(sessions: list[tuple[int, Fact]]) -> dict[tuple[str, str], dict[str, int]]:
    """Of each server's lock the sessions that wait for it: their pids, and where each is told."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for at, fact in sessions:
        if fact.attributes.get("granted") is False:
            found.setdefault(_lock(fact), {}).setdefault(_pid(fact), at)
    return found


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
