"""Services whose selector asks for labels that the pods meant by it do not carry."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from analysis.captures.kube_words import workload_of
from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Attribute, Fact

_HASHES: Final = ("pod-template-hash=", "controller-revision-hash=", "statefulset.kubernetes.io/")
_SHARED: Final = re.compile(  # labels of a whole release or tier, which tell nothing of who is meant
    r"(?:app\.kubernetes\.io/(?:instance|part-of|managed-by|version)|helm\.sh/.*|instance|release|heritage|chart|"
    r"part-of|managed-by|tier|env|environment|stage|team|version)="
)
_TAIL: Final = re.compile(r"[-_](?:svc|service|server|app|deployment|v\d+)$")
_DESCRIBED: Final = re.compile(r"(?:Session ?Affinity|TargetPort)=")  # `kubectl describe` tells the endpoints too
_DIGITS: Final = re.compile(r"\d+")
_NEAR: Final = 0.8  # how alike two values are of which one was renamed or mistyped


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each service without endpoints beside whose selector running pods carry nearly its labels."""
    pods = [
        (at, fact) for at, fact in enumerate(case.facts) if fact.kind == "pod" and any(texts(fact.attributes, "labels"))
    ]
    for at, service in enumerate(case.facts):
        if service.attributes.get("type") != "service" or not is_empty(case, service):
            continue
        here = [each for each in pods if each[1].attributes.get("namespace") == service.attributes.get("namespace")]
        wanted = asked_labels(service)
        if any(wanted <= set(texts(pod.attributes, "labels")) for _, pod in here):
            continue
        near = next(((place, pod) for place, pod in here if _is_meant(case, service, pod)), None)
        if near is not None:
            place, pod = near
            told: dict[str, Attribute] = {"misses": _difference(wanted, pod)}
            fact = Fact("object", service.entity, dict(service.attributes) | told, service.source, service.at)
            yield JoinedFact(fact, (*case.cite(at, "selector"), *case.cite(place, "labels")))


def asked_labels(service: Fact) -> set[str]:
    """The labels that a service asks of its pods."""
    return {part for text in texts(service.attributes, "selector") for part in text.split(",") if "=" in part}


def is_empty(case: Case, service: Fact) -> bool:
    """Whether somebody asked for the endpoints of a service with a selector, and nobody was told any."""
    told = [fact for fact in case.facts if _tells_endpoints(fact, service)] if asked_labels(service) else []
    return bool(told) and not any(any(texts(fact.attributes, "endpoints")) for fact in told)


def _tells_endpoints(fact: Fact, service: Fact) -> bool:
    told = fact.attributes
    spaces = {told.get("namespace"), service.attributes.get("namespace")} - {None}  # not each list tells its own
    if fact.kind != "object" or fact.entity != service.entity or len(spaces) > 1:
        return False
    described = any(_DESCRIBED.match(each) for each in texts(told, "data"))
    return told.get("type") == "endpoints" or "endpoints" in told or described


def _is_meant(case: Case, service: Fact, pod: Fact) -> bool:
    """Whether the pod runs and is named as the service, or nearly so or labelled and no other service's."""
    labels, wanted = set(texts(pod.attributes, "labels")), asked_labels(service)
    named = workload_of(name_of(pod.entity)) or name_of(pod.entity)
    near = _bare(named) == _bare(name_of(service.entity)) or _is_near(wanted - labels, labels - wanted)
    alike = named == name_of(service.entity) or (near and not _is_anothers(case, pod))
    return alike and pod.attributes.get("ready") is not False and pod.attributes.get("phase") != "Succeeded"


def _is_anothers(case: Case, pod: Fact) -> bool:
    """Whether a service of the namespace finds the pod."""
    labels, of = set(texts(pod.attributes, "labels")), pod.attributes.get("namespace")
    services = (each for each in case.facts if each.attributes.get("type") == "service")
    return any(
        (asked := asked_labels(each)) and asked <= labels for each in services if each.attributes.get("namespace") == of
    )


def _is_near(lacking: set[str], carried: set[str]) -> bool:
    """Whether a value that is lacking is carried under another key, or under its key renamed or mistyped."""
    wanted, others = (
        [each.partition("=") for each in labels if not _SHARED.match(each) and not each.startswith(_HASHES)]
        for labels in (lacking, carried)
    )
    return any(
        _alike(value, other) if key == at else value == other for key, _, value in wanted for at, _, other in others
    )


def _alike(one: str, other: str) -> bool:
    """Whether one is the other's typo or new version; what differs by number alone is a sister."""
    typo = _DIGITS.findall(one) == _DIGITS.findall(other) and SequenceMatcher(None, one, other).ratio() >= _NEAR
    return typo or _bare(one) == _bare(other)


def _bare(name: str) -> str:
    return _TAIL.sub("", name)


def _difference(wanted: set[str], pod: Fact) -> str:
    """`it asks for a=b, the pods carry a=c`."""
    labels = [each for each in texts(pod.attributes, "labels") if not each.startswith(_HASHES)]
    lacking = sorted(wanted - set(labels))
    keys = {each.partition("=")[0] for each in lacking}
    carried = [each for each in labels if each.partition("=")[0] in keys] or [
        each for each in labels if each not in wanted
    ]
    return f"it asks for {', '.join(lacking)}, the pods carry {', '.join(carried) or 'no such label'}"
