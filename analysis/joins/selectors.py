"""Services whose selector asks for labels that the pods meant by it do not carry."""

from collections.abc import Iterator

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

_HASHES = ("pod-template-hash=", "controller-revision-hash=", "statefulset.kubernetes.io/")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each service without endpoints beside whose selector running pods carry nearly its labels."""
    pods = [
        (at, fact) for at, fact in enumerate(case.facts) if fact.kind == "pod" and any(texts(fact.attributes, "labels"))
    ]
    for at, service in enumerate(case.facts):
        if service.attributes.get("type") != "service" or not _is_empty(service):
            continue
        here = [each for each in pods if each[1].attributes.get("namespace") == service.attributes.get("namespace")]
        wanted = _wanted(service)
        if any(wanted <= set(texts(pod.attributes, "labels")) for _, pod in here):
            continue
        near = next(((place, pod) for place, pod in here if _is_meant(service, wanted, pod)), None)
        if near is not None:
            place, pod = near
            told: dict[str, Attribute] = {"misses": _difference(wanted, pod)}
            fact = Fact("object", service.entity, dict(service.attributes) | told, service.source, service.at)
            yield JoinedFact(fact, (*case.cite(at, "selector"), *case.cite(place, "labels")))


def _wanted(service: Fact) -> set[str]:
    return {part for text in texts(service.attributes, "selector") for part in text.split(",") if "=" in part}


def _is_empty(service: Fact) -> bool:
    return bool(_wanted(service)) and not any(texts(service.attributes, "endpoints"))


def _is_meant(service: Fact, wanted: set[str], pod: Fact) -> bool:
    """Whether the pod runs and shares a label with the selector, or else the service's name."""
    labels = set(texts(pod.attributes, "labels"))
    alike = bool(wanted & labels) or name_of(pod.entity).startswith(f"{name_of(service.entity)}-")
    return alike and pod.attributes.get("ready") is not False and pod.attributes.get("phase") != "Succeeded"


def _difference(wanted: set[str], pod: Fact) -> str:
    """`it asks for a=b, the pods carry a=c`."""
    labels = [each for each in texts(pod.attributes, "labels") if not each.startswith(_HASHES)]
    lacking = sorted(wanted - set(labels))
    keys = {each.partition("=")[0] for each in lacking}
    carried = [each for each in labels if each.partition("=")[0] in keys] or [
        each for each in labels if each not in wanted
    ]
    return f"it asks for {', '.join(lacking)}, the pods carry {', '.join(carried) or 'no such label'}"
