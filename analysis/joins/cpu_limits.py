"""How much of its processor limit a pod takes: usage from `kubectl top` or stats, the limit from its description."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

_USED_UP: Final = 0.95
_FEW_CORES: Final = 0.01  # `kubectl top` rounds to a thousandth: of less nothing can be told


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each pod that takes all that the limit of its only container allows."""
    limits: dict[str, list[int]] = {}
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        if fact.kind == "container" and told.get("pod") and not told.get("init") and "image" in told:
            limits.setdefault(str(told["pod"]), []).append(at)
    for at, fact in enumerate(case.facts):
        used, places = fact.attributes.get("cpu_percent"), limits.get(name_of(fact.entity), [])
        if fact.kind != "container" or not isinstance(used, int | float) or len(places) != 1:
            continue
        limit = case.facts[places[0]].attributes.get("cpu_limit")
        if isinstance(limit, int | float) and limit > _FEW_CORES and used / 100 >= _USED_UP * limit:
            said: dict[str, Attribute] = {
                "name": "cpu limit used up",
                "value": round(used / limit),
                "unit": f"{limit:g} cores",
            }
            cited = (*case.cite(at, "cpu_percent"), *case.cite(places[0], "cpu_limit"))
            yield JoinedFact(Fact("reading", fact.entity, said, fact.source, fact.at), cited)
