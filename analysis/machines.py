"""Which machine a name or address means, where live sources look at machines that are known by several."""

from collections.abc import Iterable, Sequence

from analysis.captures.context import HOST
from analysis.case import Case
from domain.alert import Machines
from domain.entity import entity, kind_of, name_of
from domain.facts import Fact


def learned(seen: Machines, facts: Iterable[Fact]) -> Machines:
    """The machines, each called as the facts call it."""
    told = list(dict.fromkeys(name_of(fact.entity) for fact in facts if kind_of(fact.entity) == "host"))
    owned = [next((name for name in told if machine(name, (names,))), "") for names in seen]
    strange = [name for name in told if not machine(name, seen)]
    if owned.count("") == 1 and len(strange) == 1:  # it calls itself otherwise than the settings do
        owned[owned.index("")] = strange[0]
    return tuple((own, *(n for n in names if n != own)) if own else names
                 for own, names in zip(owned, seen, strict=True))  # fmt: skip


def machine(name: str, seen: Machines) -> Sequence[str]:
    """The names of the machine that is meant; nothing for one that nobody looks at."""
    wanted = bare_name(name)
    return next((names for names in seen if wanted in map(bare_name, names)), ())


def called(of: str, seen: Machines) -> str:
    """The entity; a host that live sources look at by the name that they call it."""
    names = machine(name_of(of), seen) if kind_of(of) == "host" else ()
    return entity("host", names[0]) if names else of


def bare_name(name: str) -> str:
    """In lower case; of a name with a domain its first label."""
    lower = name.lower()
    return lower if lower.replace(".", "").isdigit() or ":" in lower else lower.partition(".")[0]


def several_machines(case: Case) -> bool:
    """Whether the evidence is of more than one machine."""
    told = {fact.entity for fact in case.facts if kind_of(fact.entity) == "host" and name_of(fact.entity) != HOST}
    return len(case.incident.seen) > 1 or len(told) > 1
