"""A probe that asks another port than the one the program says it listens on."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.captures.kube_words import workload_of
from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import LISTENS, Finding
from domain.facts import Attribute, Fact

_PROBE: Final = re.compile(
    r"(?P<kind>Readiness|Liveness|Startup): (?:http-get https?://[^:/]*|tcp-socket [^:/]*):(?P<port>\d+)"
)
_REFUSED: Final = re.compile(
    r"(?P<kind>Readiness|Liveness|Startup) probe failed:.*:(?P<port>\d+): connect: connection refused"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each pod whose probe is refused on a port that none of its containers says it opened."""
    asked = {(str(f.attributes.get("pod")), m["port"]): m["kind"] for f in case.facts for m in _probes(f)}
    told: set[tuple[str, str]] = set()
    for at, event in enumerate(case.facts if asked else ()):
        refused = _REFUSED.search(str(event.attributes.get("message") or "")) if event.kind == "event" else None
        if refused is None or (name := name_of(event.entity), refused["port"]) in told:
            continue
        opened = listening(case, event.entity)
        ports = sorted({each.captures["port"] for each in opened}, key=int)
        if ports and refused["port"] not in ports and asked.get((name, refused["port"])) == refused["kind"]:
            told.add((name, refused["port"]))
            said: dict[str, Attribute] = {"name": "probe asks another port", "value": refused["port"]}
            said |= {"text": " and ".join(ports), "unit": refused["kind"].lower()}
            cited = (*case.cite(at, "message"), *(each for found in opened[:2] for each in found.citations[:1]))
            yield JoinedFact(Fact("reading", event.entity, said, event.source, event.at), cited)


def _probes(fact: Fact) -> Iterator[re.Match[str]]:
    if fact.kind == "container" and fact.attributes.get("pod"):
        yield from (match for each in texts(fact.attributes, "probes") if (match := _PROBE.match(each)))


def listening(case: Case, pod: str) -> list[Finding]:
    """What the programs of a pod say of the ports they opened."""
    return [each for each in case.findings if each.kind == LISTENS and _is_of(case, each, pod)]


def _is_of(case: Case, listens: Finding, pod: str) -> bool:
    """Whether the program that says so runs in the pod: it is the pod, its container, or what the pod belongs to."""
    of = listens.entity
    own = case.inventory.same(of, pod) or of in case.inventory.related(pod)
    return own or workload_of(name_of(pod)) == name_of(of)
