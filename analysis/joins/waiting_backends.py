"""A service whose pods are all there and not ready: it is empty because of them, not because of its selector."""

from collections.abc import Iterator

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.joins.selectors import asked_labels, is_empty
from domain.entity import name_of
from domain.facts import Fact


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each empty service that selects running pods, of which none is ready."""
    for at, service in enumerate(case.facts):
        if service.attributes.get("type") != "service" or not is_empty(case, service):
            continue
        space, labels = service.attributes.get("namespace"), asked_labels(service)
        chosen = [
            (place, fact)
            for place, fact in enumerate(case.facts)
            if fact.kind == "pod" and fact.attributes.get("namespace") == space
            if labels <= set(texts(fact.attributes, "labels"))
        ]
        if chosen and all(
            f.attributes.get("ready") is False and f.attributes.get("phase") == "Running" for _, f in chosen
        ):
            place, pod = chosen[0]
            said = {"name": "pods of an empty service are not ready", "value": name_of(service.entity)}
            cited = (*case.cite(at, "selector"), *case.cite(place, "ready", "labels"))
            yield JoinedFact(Fact("note", pod.entity, dict(said), pod.source, pod.at), cited)
