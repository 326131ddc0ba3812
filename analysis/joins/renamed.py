"""Data directories of a node's name of now and of a former one, side by side on one volume."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Attribute, Fact

_FAULT: Final = "data.node_renamed"
_NODE: Final = re.compile(r"(?P<server>[\w-]+)@(?P<host>[\w.-]*\w)")


_ID: Final = re.compile(r"[0-9a-f]{12}")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each node whose directory of now is smaller than one of the same server under another name."""
    told: set[str] = set()
    for finding in case.findings:
        node = finding.captures.get("node", "")
        if finding.kind == _FAULT and _NODE.fullmatch(node) and node not in told:
            told.add(node)
            yield from list(_beside(case, finding, node)) or _recreated(case, finding, node)


def _beside(case: Case, finding: Finding, node: str) -> Iterator[JoinedFact]:
    places = {str(f.attributes.get("path")): at for at, f in enumerate(case.facts) if f.kind == "directory"}
    now = next((path for path in places if PurePosixPath(path).name == node), None)
    others = [path for path in places if now and _is_former(path, now)]
    if not now or not others:
        return
    former = max(others, key=lambda path: _size(case.facts[places[path]]))
    if _size(case.facts[places[former]]) <= _size(case.facts[places[now]]):
        return
    of, size = case.facts[places[now]], _size(case.facts[places[former]])
    more = of.attributes | {"former": PurePosixPath(former).name, "former_size": size}
    cited = (*case.cite(places[former], "path", "size"), *case.cite(places[now], "path", "size"))
    yield JoinedFact(Fact(of.kind, finding.entity, more, of.source), (*cited, *finding.citations[:1]), finding.onset)


def _recreated(case: Case, finding: Finding, node: str) -> Iterator[JoinedFact]:
    """Where the node is called after its container's id, and a container of that name was removed before."""
    server, _, host = node.partition("@")
    own = [f for f in case.facts if f.kind == "container" and str(f.attributes.get("id") or "").startswith(host)]
    if not _ID.fullmatch(host) or not any(f.attributes.get("mounts") for f in own):
        return  # without a volume nothing of before is there
    for at, event in enumerate(case.facts):
        former = str(event.attributes.get("object") or "")[: len(host)]
        removed = event.kind == "event" and event.attributes.get("reason") == "destroy" and former != host
        if removed and any(case.inventory.same(event.entity, each.entity) for each in own):
            told: dict[str, Attribute] = {"path": node, "former": f"{server}@{former}"}
            cited = (*case.cite(at, "object", "reason"), *finding.citations[:1])
            yield JoinedFact(Fact("directory", finding.entity, told, event.source), cited, finding.onset)
            return


def _is_former(path: str, now: str) -> bool:
    """Whether it is the directory of the same server under another host's name."""
    other, own = (_NODE.fullmatch(PurePosixPath(each).name) for each in (path, now))
    beside = PurePosixPath(path).parent == PurePosixPath(now).parent and path != now
    return bool(beside and other and own and other["server"] == own["server"] and not path.endswith(".pid"))


def _size(fact: Fact) -> int:
    size = fact.attributes.get("size")
    return size if isinstance(size, int) else 0
