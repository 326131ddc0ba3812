"""A server's idle timeout beside the time that a client's pool keeps its connections."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.facts import Attribute, Fact

_CLOSED: Final = ("database.idle_timeout", "network.idle_reset")
_SERVER: Final = ("wait_timeout", "idle_session_timeout")
_CACHE: Final = re.compile(r"(?i)redis|valkey|keydb|dragonfly|cache")  # servers that call it `timeout`
_POOL: Final = re.compile(
    r"(?i)(?<![\w.-])(?![\w.-]*(?:session|cookie|cache|token|http|request|keep_?alive))(?:[\w.-]+[_.-])?(?P<name>"
    r"pool_?recycle|conn(?:ection)?_?max_?(?:idle_?)?(?:life_?time|time|age)|max_?(?:idle_?)?life_?time|max_?idle_?time|"
    r"max-lifetime|idle-?_?timeout(?:millis)?)(?:_?(?P<unit>ms|millis|seconds|minutes))?[\"']?\s*[=:]\s*[\"']?(?P<value>\d{2,9})\b(?P<suffix>ms|s|m|min|h)?"
)
_SECONDS: Final = {"ms": 0.001, "millis": 0.001, "s": 1, "seconds": 1, "m": 60, "min": 60, "minutes": 60, "h": 3600}
_MILLIS: Final = 20_000  # a plain number above is milliseconds for those pools that count in them
_IN_MILLIS: Final = re.compile(r"(?i)max-?lifetime|max_lifetime|idle-?timeout|idleTimeoutMillis")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact about the server that closes idle connections before the pool of a client that complains does."""
    complaints = [each for each in case.findings if each.kind in _CLOSED and each.citations]
    felt = complaints[0] if complaints else None
    limits = [(at, fact) for at, fact in enumerate(case.facts) if felt and _limit(fact)]
    pools = [
        (at, *kept)
        for at, fact in enumerate(case.facts)
        if limits and _is_of(case, fact, complaints) and (kept := _kept(fact))
    ]
    for at, fact in limits[:1]:
        longer = [(place, name, seconds) for place, name, seconds in pools if seconds > _limit(fact)]
        if felt and longer:
            place, name, seconds = longer[0]
            told: dict[str, Attribute] = dict(fact.attributes) | {"origin": name, "pending": round(seconds)}
            cited = (*case.cite(at, "value"), *case.cite(place, "text", "env", "value"), *felt.citations[:1])
            yield JoinedFact(Fact("setting", fact.entity, told, fact.source), cited, felt.onset)


def _limit(fact: Fact) -> float:
    """Seconds after which the server closes what is idle; 0 where the fact tells no such thing."""
    value = fact.attributes.get("value")
    name = str(fact.attributes.get("name")).lower()
    named = name in _SERVER or (name == "timeout" and _CACHE.search(fact.entity))
    is_limit = fact.kind == "setting" and bool(named)
    return float(value) if is_limit and isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _is_of(case: Case, fact: Fact, complaints: list[Finding]) -> bool:
    """Whether the fact may be of a pool of one who complains: what is told of some container is only of that one."""
    if kind_of(fact.entity) not in ("container", "pod"):
        return True
    names = {PurePosixPath(cited.source).stem for each in complaints for cited in each.citations}
    return name_of(fact.entity) in names or any(case.inventory.same(each.entity, fact.entity) for each in complaints)


def _kept(fact: Fact) -> tuple[str, float] | None:
    """What a pool calls the time it keeps a connection, and the seconds."""
    if fact.kind == "setting":
        text = f"{fact.attributes.get('name')}={fact.attributes.get('value')}"
    else:
        text = "\n".join((str(fact.attributes.get("text") or ""), *texts(fact.attributes, "env")))
    match = _POOL.search(text)
    return (match["name"], _seconds(match)) if match else None


def _seconds(match: re.Match[str]) -> float:
    amount, unit = int(match["value"]), (match["suffix"] or match["unit"] or "").lower()
    if unit:
        return amount * _SECONDS[unit]
    return amount / 1000 if _IN_MILLIS.search(match["name"]) and amount >= _MILLIS else float(amount)
