"""The topology of a bundle: topology.yaml."""

from bundle.bundle import Bundle
from domain.codec import Json
from domain.errors import BadBundle
from domain.results import Edge, Searched, Topology

FILE = "topology.yaml"


class RecordedTopology:
    """Reads the file at every question; it is small."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def topology(self) -> Topology:
        """All edges that can be read; what cannot is named in `problems`."""
        if not self._bundle.exists(FILE):
            return Topology((), {}, Searched(f"no {FILE} in this bundle"))
        try:
            document = self._bundle.read_yaml(FILE)
        except BadBundle as exc:
            return Topology((), {}, Searched(FILE, problems=(str(exc),)))
        return _topology(document)


def _topology(document: Json) -> Topology:
    if not isinstance(document, dict):
        return Topology((), {}, Searched(FILE, problems=(f"{FILE}:1: no mapping; write edges and runs_on",)))
    listed = document.get("edges") or []
    listed = listed if isinstance(listed, list) else []
    read = [edge for item in listed if (edge := _edge(item))]
    edges = tuple(sorted(set(read), key=lambda edge: (edge.caller, edge.callee)))
    runs_on = document.get("runs_on") or {}
    where = {str(name): str(node) for name, node in runs_on.items()} if isinstance(runs_on, dict) else {}
    broken = len(listed) - len(read)
    problems = (f"{FILE}: {broken} edges without from and to",) if broken else ()
    return Topology(edges, where, Searched(FILE, matched=len(edges), returned=len(edges), problems=problems))


def _edge(item: Json) -> Edge | None:
    if not isinstance(item, dict) or not item.get("from") or not item.get("to"):
        return None
    return Edge(str(item["from"]), str(item["to"]), "topology")
