"""Network policies: whom they select and what they let through, from kubectl describe or the object itself."""

import re
from typing import Any, Final

from analysis.captures.indented import Node
from analysis.captures.jsons import Json, at, mapping, objects, pairs, sequence

_SIDES: Final = ("ingress", "egress")
_ALLOWS: Final = re.compile(r"Allowing (ingress|egress) traffic")
_ISOLATED: Final = "<none>"
_ANY: Final = "*"


def described(root: Node) -> dict[str, Any]:
    """The attributes of a described policy; empty where its fields are not there.

    A rule reads `PORTS > PEERS`: `5432/TCP > namespaces team=data & pods app=db | block 10.0.0.0/8`, `*` is any.
    """
    spec = root.child("Spec")
    if spec is None or spec.child("PodSelector") is None:
        return {}
    told: dict[str, Any] = {"types": _words(spec.text("Policy Types")), "pods": _selector(spec.text("PodSelector"))}
    for node in spec.children:
        if match := _ALLOWS.match(node.key):
            told[match[1]] = _rules(node)
    return told


def declared(document: dict[str, Json]) -> dict[str, Any]:
    """The same of a policy as JSON or YAML."""
    spec = mapping(document, "spec")
    types = [str(each) for each in sequence(spec, "policyTypes")] or [
        "Ingress",
        *(["Egress"] if "egress" in spec else []),
    ]
    told: dict[str, Any] = {"types": types, "pods": pairs(at(spec, "podSelector", "matchLabels"))}
    if at(spec, "podSelector", "matchExpressions"):
        told["pods"] = [*told["pods"], "(an expression)"]
    for side, towards in zip(_SIDES, ("from", "to"), strict=True):
        told[side] = [_declared_rule(rule, towards) for rule in objects(spec, side)]
    return told


def _words(text: str) -> list[str]:
    return [word for word in re.split(r",\s*", text) if word]


def _selector(text: str) -> list[str]:
    return [] if text.startswith(_ISOLATED) else _words(text)


def _rules(node: Node) -> list[str]:
    """Rules of a described side: each has ports, then peers; a line of dashes stands between two."""
    found: list[str] = []
    ports: list[str] = []
    peers: list[str] = []
    for child in node.children:
        if child.key == "To Port":
            ports.append(_ANY if child.value.startswith("<any>") else child.value)
        elif child.key in ("To", "From"):
            peers.append(_peer(child))
        elif set(child.value) == {"-"} and (ports or peers):
            found.append(_rule(ports, peers))
            ports, peers = [], []
    return [*found, _rule(ports, peers)] if ports or peers else found


def _peer(node: Node) -> str:
    parts = [f"namespaces {text}" for text in [node.text("NamespaceSelector")] if text]
    parts += [f"pods {text}" for text in [node.text("PodSelector")] if text]
    block = node.child("IPBlock")
    return f"block {block.text('CIDR')}" if block else " & ".join(parts) or _ANY


def _declared_rule(rule: dict[str, Json], towards: str) -> str:
    ports = [f"{port.get('port', _ANY)}/{port.get('protocol', 'TCP')}" for port in objects(rule, "ports")]
    return _rule(ports, [_declared_peer(peer) for peer in objects(rule, towards)])


def _declared_peer(peer: dict[str, Json]) -> str:
    if block := at(peer, "ipBlock", "cidr"):
        return f"block {block}"
    parts = [
        f"{word} {','.join(pairs(at(peer, key, 'matchLabels'))) or _ANY}"
        for word, key in (("namespaces", "namespaceSelector"), ("pods", "podSelector"))
        if key in peer
    ]
    return " & ".join(parts) or _ANY


def _rule(ports: list[str], peers: list[str]) -> str:
    return f"{' '.join(ports) or _ANY} > {' | '.join(peers) or _ANY}"
