"""A volume that stays attached to a node that is lost: the pod that needs it cannot start on another one."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import entity, name_of
from domain.facts import Fact

_MULTI: Final = re.compile(r"Multi-Attach error for volume \"([^\"]+)\"(?:.*used by pod\(s\) (?P<pods>[\w.,: -]+))?")
_NODE: Final = re.compile(r"node=(.+)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each lost node that holds a volume which a new pod asks for."""
    lost = {
        name_of(f.entity): at
        for at, f in enumerate(case.facts)
        if f.kind == "node" and f.attributes.get("ready") is False
    }
    told: set[tuple[str, str]] = set()
    for at, event in enumerate(case.facts if lost else ()):
        found = _MULTI.search(str(event.attributes.get("message") or "")) if event.kind == "event" else None
        if found is None:
            continue
        for place, node in _holders(case, found[1], found["pods"] or ""):
            if node in lost and (node, found[1]) not in told:
                told.add((node, found[1]))
                said = {"name": "volume on a lost node", "value": found[1], "text": name_of(event.entity)}
                fact = Fact("note", entity("host", node), dict(said), event.source, event.at)
                cited = (*case.cite(at, "message"), *case.cite(place, "node", "data"), *case.cite(lost[node], "ready"))
                yield JoinedFact(fact, cited)


def _holders(case: Case, volume: str, pods: str) -> Iterator[tuple[int, str]]:
    """Where it is told which node has the volume: by the pod that uses it, or by its attachment."""
    users = set(re.findall(r"[\w.-]+", pods))
    for at, fact in enumerate(case.facts):
        if fact.kind == "pod" and name_of(fact.entity) in users and fact.attributes.get("node"):
            yield at, str(fact.attributes["node"])
        elif fact.kind == "object" and fact.attributes.get("type") == "volumeattachment":
            data = list(texts(fact.attributes, "data"))
            if f"pv={volume}" in data and "attached=true" in data:
                yield from ((at, match[1]) for each in data if (match := _NODE.fullmatch(each)))
