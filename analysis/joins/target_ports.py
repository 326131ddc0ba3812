"""A service that sends to another port than the one the program of its pods says it listens on."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from analysis.joins.probe_ports import listening
from analysis.joins.selectors import asked_labels
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Attribute, Fact

_TARGET: Final = re.compile(r"TargetPort=(\d+)/TCP")
_REFUSED: Final = ("dependency.unavailable", "proxy.upstream_down", "network.unreachable")  # what callers then tell


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each service with ready pods none of which says that it opened the service's port."""
    felt = [finding for finding in case.findings if finding.kind in _REFUSED]
    for at, service in enumerate(case.facts):
        ports = [m[1] for each in texts(service.attributes, "data") if (m := _TARGET.fullmatch(each))]
        if service.attributes.get("type") != "service" or len(ports) != 1 or not _is_felt(case, felt, service):
            continue
        pods = _pods(case, service)
        opened = [each for pod in pods for each in listening(case, pod.entity)]
        told = sorted({each.captures["port"] for each in opened}, key=int)
        if told and ports[0] not in told:
            said: dict[str, Attribute] = {"name": "service asks another port", "value": ports[0]}
            said["text"] = " and ".join(told)
            cited = (*case.cite(at, "data"), *opened[0].citations[:1])
            yield JoinedFact(Fact("reading", service.entity, said, service.source, service.at), cited)


def _is_felt(case: Case, felt: list[Finding], service: Fact) -> bool:
    """Whether one of the complaints is of this service, or names it."""
    named = re.compile(rf"(?i)(?<![\w-]){re.escape(name_of(service.entity))}(?![\w-])")
    return any(
        case.inventory.same(each.entity, service.entity)
        or any(map(named.search, (name_of(each.entity), each.statement, *(c.quote or "" for c in each.citations))))
        for each in felt
    )


def _pods(case: Case, service: Fact) -> list[Fact]:
    """The ready pods that the service selects."""
    wanted = asked_labels(service)
    space = service.attributes.get("namespace")
    return [
        fact
        for fact in case.facts
        if fact.kind == "pod" and wanted and wanted <= set(texts(fact.attributes, "labels"))
        if fact.attributes.get("namespace") == space and fact.attributes.get("ready") is True
    ]
