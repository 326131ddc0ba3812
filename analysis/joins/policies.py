"""Network policies put beside the pods they select: whose connections they let nobody answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Citation, Finding
from domain.facts import Fact

_WAITED: Final = re.compile(r"(?i)timed? ?out|timeout|ETIMEDOUT|no route to host|deadline exceeded")
_NO_NAME: Final = re.compile(
    r"(?i)(?:temporary failure in|could not|failure in|error).{0,12} (?:name resolution|resolve|translate host name)|"
    r"EAI_AGAIN|lookup [\w.-]+.*(?:i/o timeout|timed out)|getaddrinfo"
)
_TARGET: Final = re.compile(
    r"(?<![\w.-])(?:[a-z0-9-]+\.)?(?P<service>[a-z][a-z0-9-]*)\.(?P<namespace>[a-z][a-z0-9-]*)(?P<svc>\.svc(?:\.[\w.]+)?)?"
    r"\"?'?(?::|,? port |\s\([\d.]+\),? port |[^:\d]{0,3}\([\d.]+\):)(?P<port>\d{2,5})\b"
)
_OWN_TARGET: Final = re.compile(r"(?<![\w.-])(?P<service>[a-z][a-z0-9-]*):(?P<port>\d{2,5})\b")
_OF_NAMESPACE: Final = "kubernetes.io/metadata.name="
_ANY: Final = "*"


@dataclass(frozen=True)
class Attempt:
    """A connection that nobody answers, as its client tells it."""

    client: Fact  # the pod
    service: str  # what it asks for; "" for a name server
    namespace: str
    port: str
    citation: Citation


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each policy that closes the way of a client that waits in vain."""
    policies = [(at, fact) for at, fact in enumerate(case.facts) if fact.attributes.get("type") == "networkpolicy"]
    told: set[str] = set()
    for attempt in _attempts(case) if policies else ():
        for at, fact, text in _closing(case, policies, attempt):
            if fact.entity not in told:
                told.add(fact.entity)
                more = Fact(fact.kind, fact.entity, fact.attributes | {"blocks": text}, fact.source, fact.at)
                yield JoinedFact(more, (*case.cite(at, "types", "pods"), attempt.citation), None)


def _attempts(case: Case) -> Iterator[Attempt]:
    """What pods with known labels complain of, once for each target."""
    pods = [fact for fact in case.facts if fact.kind == "pod" and any(texts(fact.attributes, "labels"))]
    known = {str(fact.attributes.get("namespace") or "") for fact in case.facts}
    seen: set[tuple[str, str, str]] = set()
    for finding in case.findings:
        for client in (pod for pod in pods if _speaks(case, finding, pod)):
            for citation in finding.citations:
                for service, namespace, port in _targets(citation.quote or "", client, known):
                    if (client.entity, service, port) not in seen:
                        seen.add((client.entity, service, port))
                        yield Attempt(client, service, namespace, port, citation)


def _speaks(case: Case, finding: Finding, pod: Fact) -> bool:
    return case.inventory.same(finding.entity, pod.entity) or name_of(finding.entity) == name_of(pod.entity)


def _targets(line: str, client: Fact, known: set[str]) -> Iterator[tuple[str, str, str]]:
    """Service, namespace and port that the line waits for; a name that is not found waits for a name server."""
    if _NO_NAME.search(line):
        yield "", "kube-system", "53"
    elif _WAITED.search(line):
        match = _TARGET.search(line)
        own = None if match else _OWN_TARGET.search(line)
        if match and (match["svc"] or match["namespace"] in known):
            yield match["service"], match["namespace"], match["port"]
        elif own:
            yield own["service"], str(client.attributes.get("namespace") or ""), own["port"]


def _closing(case: Case, policies: list[tuple[int, Fact]], attempt: Attempt) -> Iterator[tuple[int, Fact, str]]:
    """The policies that close the client's way out, or the server's way in."""
    client, target = attempt.client, f"{attempt.service or 'DNS'}:{attempt.port}"
    out = [each for each in policies if _selects(each[1], client, "Egress")]
    rules = [rule for _, fact in out for rule in texts(fact.attributes, "egress")]
    home = str(client.attributes.get("namespace") or "")
    if out and not any(_lets_out(rule, attempt, home) for rule in rules):
        yield (*_strictest(out, "egress"), f"egress of {name_of(client.entity)} to {target} (no rule allows it)")
        return
    server = _server(case, attempt)
    into = [each for each in policies if server and _selects(each[1], server, "Ingress")]
    rules = [rule for _, fact in into for rule in texts(fact.attributes, "ingress")]
    if server and into and not any(_lets_in(rule, client, attempt.namespace) for rule in rules):
        yield (*_strictest(into, "ingress"), f"ingress of {name_of(client.entity)} to {target} (no rule allows it)")


def _selects(policy: Fact, pod: Fact, side: str) -> bool:
    same = policy.attributes.get("namespace") == pod.attributes.get("namespace")
    wanted = set(texts(policy.attributes, "pods"))
    return same and side in texts(policy.attributes, "types") and wanted <= set(texts(pod.attributes, "labels"))


def _strictest(found: list[tuple[int, Fact]], side: str) -> tuple[int, Fact]:
    return min(
        found,
        key=lambda each: (len(list(texts(each[1].attributes, side))), len(list(texts(each[1].attributes, "pods")))),
    )


def _server(case: Case, attempt: Attempt) -> Fact | None:
    """A pod that serves the target, by its name."""
    named = re.compile(rf"pod:{re.escape(attempt.service)}(?:-[a-z0-9]+){{0,2}}") if attempt.service else None
    here = (fact for fact in case.facts if fact.attributes.get("namespace") == attempt.namespace)
    return next((fact for fact in here if named and named.fullmatch(fact.entity)), None)


def _lets_out(rule: str, attempt: Attempt, home: str) -> bool:
    """Whether the rule may let it out; what cannot be told counts as open."""
    ports, _, peers = rule.partition(" > ")
    numbers = {port.partition("/")[0] for port in ports.split()}
    fits = _ANY in numbers or attempt.port in numbers or any(not each.isdigit() for each in numbers)
    return fits and any(_is_in(peer, attempt.namespace, home) for peer in peers.split(" | "))


def _lets_in(rule: str, client: Fact, home: str) -> bool:
    _, _, peers = rule.partition(" > ")
    namespace, labels = str(client.attributes.get("namespace") or ""), set(texts(client.attributes, "labels"))
    return any(
        _is_in(peer, namespace, home) and (_ANY in (wanted := _pods(peer)) or wanted <= labels)
        for peer in peers.split(" | ")
    )


def _pods(peer: str) -> set[str]:
    part = next((each for each in peer.split(" & ") if each.startswith("pods ")), "")
    return {label for label in part.removeprefix("pods ").split(",") if "=" in label} or {_ANY}


def _is_in(peer: str, namespace: str, home: str) -> bool:
    """Whether the peer may lie in the namespace; without a selector of namespaces it is the policy's own."""
    part = next((each for each in peer.split(" & ") if each.startswith("namespaces ")), "")
    if part:
        return _OF_NAMESPACE not in part or f"{_OF_NAMESPACE}{namespace}" in part.split(" ", 1)[1].split(",")
    return not peer.startswith("pods ") or namespace == home
