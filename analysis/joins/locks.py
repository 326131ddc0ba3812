"""Who holds the lock that others wait for, where the server's list of sessions tells only that they wait."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.machines import several_machines
from domain.entity import name_of
from domain.facts import Attribute, Fact

_WAITS: Final = re.compile(r"(?i)^waiting for .*\block\b|^lock wait$|^LCK_M_")
_CLIENTS: Final = ("psql", "mysql", "mariadb", "sqlcmd", "sqlplus", "sql")
_IDLE: Final = re.compile(r"(?i)^(?:sleep|idle in transaction.*|sleeping|inactive)$")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for the session that does nothing, but whose open transaction keeps others waiting."""
    for sessions in _of_servers(case):
        yield from _of_one(case, sessions)


def _of_servers(case: Case) -> Iterable[list[tuple[int, Fact]]]:
    """The sessions of each server: pids of two have nothing to do with each other."""
    sessions = [(at, fact) for at, fact in enumerate(case.facts) if fact.kind == "session"]
    if len({fact.entity for _, fact in sessions if _is_named(fact)}) < 2 and not several_machines(case):
        return [sessions]
    apart: dict[str, list[tuple[int, Fact]]] = {}
    for at, fact in sessions:
        apart.setdefault(fact.entity, []).append((at, fact))
    return apart.values()


def _is_named(fact: Fact) -> bool:
    """Whether the entity is a server, and not just the session's database or the client that listed it."""
    name = name_of(fact.entity)
    return name not in _CLIENTS and name != _text(fact, "database")


def _of_one(case: Case, sessions: list[tuple[int, Fact]]) -> Iterator[JoinedFact]:
    waiting = [(at, fact) for at, fact in sessions if _waits(fact)]
    idle = {_pid(fact): (at, fact) for at, fact in sessions if _IDLE.match(_text(fact, "state")) and _pid(fact)}
    held = [(at, fact) for at, fact in sessions if _pid(fact) in idle and fact not in (f for _, f in idle.values())]
    for pid, (at, fact) in idle.items():
        own = [(place, told) for place, told in held if _pid(told) == pid]
        if waiting and own and (locked := _locked(own, waiting) or _only_open(own, held, waiting)):
            yield _holder(case, (at, fact), locked, waiting)


def _locked(own: list[tuple[int, Fact]], waiting: list[tuple[int, Fact]]) -> tuple[int, Fact] | None:
    """The lock of the session on a table that somebody who waits names."""
    for at, told in own:
        name = _text(told, "relation").rpartition(".")[2]
        asked = re.compile(rf"(?i)\b{re.escape(name)}\b")
        held = name and told.attributes.get("granted") is not False
        if held and any(asked.search(_text(fact, "query")) for _, fact in waiting):
            return at, told
    return None


def _only_open(
    own: list[tuple[int, Fact]], held: list[tuple[int, Fact]], waiting: list[tuple[int, Fact]]
) -> tuple[int, Fact] | None:
    """The session's transaction, where no other idle one is open and it began before everybody who waits."""
    open_ = {_pid(fact): (at, fact) for at, fact in held if "transaction_seconds" in fact.attributes}
    first = next(iter(own))
    if list(open_) != [_pid(first[1])]:
        return None
    at, fact = open_[_pid(first[1])]
    longest = max((_number(each, "age_seconds") for _, each in waiting), default=0.0)
    return (at, fact) if _number(fact, "transaction_seconds") >= longest else None


def _holder(case: Case, of: tuple[int, Fact], locked: tuple[int, Fact], waiting: list[tuple[int, Fact]]) -> JoinedFact:
    (at, fact), (place, lock) = of, locked
    since = f" since {fact.attributes['age_seconds']:g} s" if "age_seconds" in fact.attributes else ""
    who = f" of user {_text(fact, 'user')}" if fact.attributes.get("user") else ""
    told: dict[str, Attribute] = {
        **fact.attributes, "holder": f"{_pid(fact)}{who} ({_text(fact, 'state')}{since})", "blocks": len(waiting),
        "relation": lock.attributes.get("relation"), "lock_mode": lock.attributes.get("lock_mode"),
    }  # fmt: skip
    told = {name: value for name, value in told.items() if value is not None}
    cited = (*case.cite(at, "state", "pid"), *case.cite(place, "relation", "pid"), *case.cite(waiting[0][0], "state"))
    return JoinedFact(Fact(fact.kind, fact.entity, told, fact.source, fact.at), cited)


def _waits(fact: Fact) -> bool:
    return bool(_WAITS.search(_text(fact, "state")) or _text(fact, "wait_type").lower() == "lock")


def _pid(fact: Fact) -> str:
    return _text(fact, "pid")


def _text(fact: Fact, name: str) -> str:
    value = fact.attributes.get(name)
    return "" if value is None else str(value)


def _number(fact: Fact, name: str) -> float:
    value = fact.attributes.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
