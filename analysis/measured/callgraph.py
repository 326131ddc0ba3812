"""The call graph: from a symptom down to what it needs, for signals that travel from callee to caller."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from domain.results import Edge

# Names that tracers and meshes give to ends they do not instrument, and to front doors that only pass calls on. They
# show another's trouble: the client's view of a server, a proxy's view of its upstream.
_PSEUDO: Final = re.compile(
    r"(^|[_\-./: ])(remote|client|unknown|external|proxy|gateway|ingress|loadbalancer|load-balancer|envoy|sidecar|"
    r"load-?generator|passthrough\w*)$",
    re.IGNORECASE,
)


def is_pseudo(name: str) -> bool:
    """Whether the name is that of a proxy, a client or the remote end of a call: a view of a thing, not the thing."""
    return bool(_PSEUDO.search(name))


def callees(edges: Iterable[Edge]) -> dict[str, tuple[str, ...]]:
    """Whom each calls, sorted; self-calls left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        if edge.caller and edge.caller != edge.callee:
            found[edge.caller].add(edge.callee)
    return {caller: tuple(sorted(called)) for caller, called in found.items()}


def distances(graph: Mapping[str, tuple[str, ...]], starts: Iterable[str]) -> dict[str, int]:
    """Hops from the nearest start along calls, the starts themselves 0."""
    hops = dict.fromkeys(starts, 0)
    front = sorted(hops)
    while front:
        reached: list[str] = []
        for name in front:
            for called in graph.get(name, ()):
                if called not in hops:
                    hops[called] = hops[name] + 1
                    reached.append(called)
        front = reached
    return hops


MATERIAL: Final = 0.1  # of what its caller became worse by: ten calls per request make up for a tenth each


def suffering_below(
    graph: Mapping[str, tuple[str, ...]],
    name: str,
    suffering: Collection[str],
    added: Mapping[str, Mapping[str, float]],
) -> set[str]:
    """Those below `name` that suffer too and may explain it, reached over others that suffer or over pseudo nodes.

    `added` is what each became worse by, for each metric: one that adds next to nothing explains nothing.
    """
    found: set[str] = set()
    seen, open_ends = {name}, list(graph.get(name, ()))
    while open_ends:
        below = open_ends.pop()
        if below in seen:
            continue
        seen.add(below)
        suffers = below in suffering and _material(added.get(below, {}), added.get(name, {}))
        if suffers and not is_pseudo(below):
            found.add(below)
        if suffers or is_pseudo(below):
            open_ends.extend(graph.get(below, ()))
    return found


def _material(callee: Mapping[str, float], caller: Mapping[str, float]) -> bool:
    """Whether the callee's trouble is large enough to be the caller's, by a metric that both have."""
    shared = callee.keys() & caller.keys()
    return not shared or any(callee[metric] >= MATERIAL * caller[metric] for metric in shared)
