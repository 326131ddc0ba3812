"""Whether all containers of an engine were listed: only then does one that is missing not exist."""

from typing import Final

from analysis.case import Case
from domain.entity import name_of
from domain.facts import Fact

_RECORDED: Final = "docker/containers.json"  # all of an engine where it was recorded from one, else what was inspected
_NO_NETWORK: Final = "null"  # the driver of a network that every engine has, and that nobody inspects for itself
_LIVE: Final = " inspect"  # ends the name of a live engine's answer
_PROBLEM: Final = "gave no answer in time"
_ID: Final = 12


def lists_all_but(case: Case, guest: Fact, owner: str) -> bool:
    """Whether a full list of the guest's engine has the guest; that the owner is in none is known."""
    return any(_is_full(case, at) and _is(fact, guest) for at, fact in enumerate(case.facts)) and not _is_member(
        case, owner
    )


def _is(fact: Fact, guest: Fact) -> bool:
    """The same container, by its id where both tell it: another machine may have one of the name."""
    known, wanted = (str(each.attributes.get("id") or "")[:_ID] for each in (fact, guest))
    return fact.kind == "container" and (known == wanted if known and wanted else fact.entity == guest.entity)


def _is_full(case: Case, at: int) -> bool:
    fact = case.facts[at]
    if fact.kind != "container":
        return False
    if fact.attributes.get("listed") == "all":
        return True
    if fact.source == _RECORDED:
        return any(each.source == _RECORDED and each.attributes.get("driver") == _NO_NETWORK for each in case.facts)
    return fact.source.endswith(_LIVE) and _is_of_whole_answer(case, at)


def _is_of_whole_answer(case: Case, at: int) -> bool:
    """Whether the call asked for all containers, and none of them was left out."""
    call = (case.places[at] if at < len(case.places) else "").partition("/")[0]
    cut = any(gap.what == "containers" or _PROBLEM in gap.why for gap in case.gaps)
    return not cut and any(row.call_id == call and not row.filter and not row.truncated for row in case.coverage)


def _is_member(case: Case, owner: str) -> bool:
    """Whether a network still knows it by its name, though it was not inspected."""
    networks = (fact.attributes.get("containers") for fact in case.facts if fact.kind == "docker_network")
    known = {name_of(fact.entity) for fact in case.facts if fact.kind == "container"}
    members = {str(name) for each in networks if isinstance(each, list) for name in each}
    return owner in members or (len(owner) > _ID and bool(members - known))
