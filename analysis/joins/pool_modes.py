"""A pooler that lends server connections for a transaction, to clients that keep prepared statements in them."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "pool_mode with prepared statements"
_LOST: Final = "database-pooler-mode/statement_lost"
_MODE: Final = re.compile(
    r"(?im)^(?P<sign>[-+ ]?)\s*(?:\w*_)?pool_mode\s*[=|:]\s*[\"']?(?P<mode>session|transaction|statement)\b"
)
_POOLER: Final = re.compile(r"(?i)bouncer|pgcat|odyssey|supavisor|pooler|pgpool")
_TELLING: Final = ("text", "env", "value", "command")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact about the pooler, where it does not keep sessions together and a client or the server misses one's."""
    lost = next((finding for finding in case.findings if finding.signature == _LOST and finding.citations), None)
    told = [(at, *found) for at, fact in enumerate(case.facts) if (found := _mode(fact))] if lost else []
    for at, mode, before in told:
        if lost and mode != "session":
            more = Fact(
                "setting", _pooler(case, at), {"name": NAME, "value": mode, "pending": before, "origin": _what(lost)}
            )
            yield JoinedFact(more, (*case.cite(at, *_TELLING), *lost.citations[:1]), lost.onset)
            return


def _mode(fact: Fact) -> tuple[str, str] | None:
    """The mode that is set now, and the one that a diff takes away."""
    found = list(_MODE.finditer(_text(fact)))
    now = [match["mode"].lower() for match in found if match["sign"] != "-"]
    gone = [match["mode"].lower() for match in found if match["sign"] == "-"]
    return (now[-1], gone[-1] if gone and gone[-1] != now[-1] else "") if now else None


def _text(fact: Fact) -> str:
    if fact.kind == "setting":
        return f"{fact.attributes.get('name')} = {fact.attributes.get('value')}"
    return "\n".join(str(each) for name in ("text", "env") for each in texts(fact.attributes, name)) or str(
        fact.attributes.get("text") or ""
    )


def _pooler(case: Case, at: int) -> str:
    """The thing that pools: the fact's own, or the one that is called so or runs such an image."""
    fact = case.facts[at]
    running = [each for each in case.facts if each.kind == "container"]
    named = [e.entity for e in (fact, *running) if _POOLER.search(f"{name_of(e.entity)} {e.attributes.get('image')}")]
    return named[0] if named else fact.entity


def _what(lost: Finding) -> str:
    return next((lost.captures[name] for name in ("statement", "unnamed", "bound") if lost.captures.get(name)), "")
