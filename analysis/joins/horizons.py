"""What holds a database's horizon, the oldest snapshot whose rows must be kept, beside the vacuum that is stuck."""

from collections.abc import Iterator, Mapping
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.evidence import Finding
from domain.facts import Fact

PREPARED: Final = "horizon_prepared"
HELD: Final = "horizon_held"
_STUCK: Final = ("database.wraparound", "database.horizon_held")
_OWN: Final = "database-horizon-held/"  # this runbook's lines are of the server itself
_SECOND_PHASE: Final = 600.0  # seconds: a younger one may be about to be committed
_HOUR, _DAY = 3600.0, 86400.0
_OLD_XMIN: Final = 1_000_000  # transactions; what a busy server makes in minutes is no horizon
_PLACES: Final = ("container", "pod", "host")
_ORDER: Final = ("a prepared", "the replication slot", "the standby", "session")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for the server whose vacuum is stuck: what is seen to hold it, a prepared transaction before all."""
    stuck = [each for each in case.findings if each.kind in _STUCK]
    if not stuck:
        return
    server = _server(stuck)
    holders = [
        (text, at)
        for at, fact in enumerate(case.facts)
        if (text := _holder(fact)) and not _is_another(case, fact.entity, server.entity)
    ]
    if not holders:
        return
    text, at = min(holders, key=lambda each: (_rank(each[0]), -_age(case.facts[each[1]])))
    name = PREPARED if case.facts[at].attributes.get("state") == "prepared" else HELD
    fact = Fact("note", server.entity, {"name": name, "text": text})
    cited = (*case.cite(at, "state", "transaction_seconds", "xmin", "xmin_age"), *server.citations[:1])
    yield JoinedFact(fact, cited, server.onset)


def _server(stuck: list[Finding]) -> Finding:
    """The one whose own log says it: a client repeats the refusal only."""
    warned = ("database-wraparound/warning", "database-wraparound/oldest_far")
    return next((each for each in stuck if each.signature in warned or each.signature.startswith(_OWN)), stuck[0])


def _is_another(case: Case, asked: str, server: str) -> bool:
    """Whether both are known as places where programs run, and are two: each server has a horizon of its own."""
    return kind_of(asked) in _PLACES and kind_of(server) in _PLACES and not case.inventory.same(asked, server)


def _holder(fact: Fact) -> str:
    told = fact.attributes
    if fact.kind == "session" and told.get("state") == "prepared":
        if 0 < _number(told.get("transaction_seconds")) < _SECOND_PHASE:
            return ""
        return f"a prepared transaction of two-phase commit ({_words(fact, 'query', 'user')}) {_old(fact)}".strip()
    if fact.kind == "session" and _is_long(fact):
        return f"session {told.get('pid', '')} ({_words(fact, 'user', 'application', 'state')}) {_old(fact)}".strip()
    if fact.kind == "replication" and told.get("role") == "slot" and _keeps(told):
        used = "active" if told.get("active") else "that nobody reads"
        return f"the replication slot {told.get('name', '')} {used} (xmin {told['xmin']})"
    if fact.kind == "replication" and _number(told.get("xmin_age")) > _OLD_XMIN:
        return f"the standby {told.get('name', '')} by hot_standby_feedback ({told['xmin_age']} transactions old)"
    return ""


def _keeps(slot: Mapping[str, object]) -> bool:
    """Whether a slot keeps old rows: each one of logical decoding has an xmin, which moves on while it is read."""
    idle = slot.get("active") is False and slot.get("xmin_age") is None
    return bool(slot.get("xmin")) and (idle or _number(slot.get("xmin_age")) > _OLD_XMIN)


def _is_long(fact: Fact) -> bool:
    """A transaction that is open for hours, or whose snapshot is very old; a vacuum itself holds nothing."""
    query = str(fact.attributes.get("query") or "").lower()
    if query.startswith(("autovacuum", "vacuum")):
        return False
    seconds, age = (_number(fact.attributes.get(name)) for name in ("transaction_seconds", "xmin_age"))
    return seconds > 2 * _HOUR or age > _OLD_XMIN


def _age(fact: Fact) -> float:
    return max(_number(fact.attributes.get(name)) for name in ("transaction_seconds", "xmin_age"))


def _old(fact: Fact) -> str:
    seconds = _number(fact.attributes.get("transaction_seconds"))
    if seconds < _HOUR:
        return ""
    return f"open for {seconds / _DAY:.0f} days" if seconds > 2 * _DAY else f"open for {seconds / _HOUR:.0f} hours"


def _words(fact: Fact, *names: str) -> str:
    return ", ".join(str(fact.attributes[name])[:60] for name in names if fact.attributes.get(name))


def _rank(text: str) -> int:
    return next((at for at, start in enumerate(_ORDER) if text.startswith(start)), len(_ORDER))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
