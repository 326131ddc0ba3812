"""Connection pools put together: what all clients of a database may open, against what it allows."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

_SIZE: Final = re.compile(
    r"(?i)^(?:[A-Z]+_)*(?:POOL_?(?:MAX_?)?SIZE|POOL_?MAX|MAX_?POOL_?SIZE|MAXIMUM_?POOL_?SIZE|MAX_?(?:OPEN_?)?CONN\w*)=(\d{1,5})$"
)
_FOREIGN: Final = re.compile(r"(?i)redis|http|worker|thread|cache|queue")  # pools of something else


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for a database whose clients may together open more connections than it allows."""
    limits = [
        (at, f)
        for at, f in enumerate(case.facts)
        if f.kind == "setting" and f.attributes.get("name") == "max_connections"
    ]
    sizes = dict(_sizes(case))
    for at, limit in limits[:1]:
        most, total = _number(limit.attributes.get("value")), sum(size for _, size in sizes.values())
        if most and len(sizes) > 1 and total > most:
            clients = ", ".join(f"{name_of(of)} {size}" for of, (_, size) in sorted(sizes.items()))
            share = round(100 * total / most, 1)
            told: dict[str, Attribute] = {"name": clients, "size": total, "max": most, "used_percent": share}
            cited = [*case.cite(at, "value"), *(c for place, _ in sizes.values() for c in case.cite(place, "env"))]
            yield JoinedFact(Fact("pool", limit.entity, told, limit.source), tuple(cited))


def _sizes(case: Case) -> Iterator[tuple[str, tuple[int, int]]]:
    """The pool of each container that sets one: where that is told, and its size."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "container":
            for variable in texts(fact.attributes, "env"):
                if (match := _SIZE.match(variable)) and not _FOREIGN.search(variable):
                    yield fact.entity, (at, int(match[1]))


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit()) else None
