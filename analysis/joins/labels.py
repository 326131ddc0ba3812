"""Bind mounts whose SELinux label no container may touch, on a machine where SELinux is enforced."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "foreign label"
_FREE: Final = (
    "container_file_t",
    "container_ro_file_t",
    "container_share_t",
    "svirt_sandbox_file_t",
    "nfs_t",
    "cifs_t",
)
_LISTED: Final = re.compile(r"\b\w+_u:object_r:(?P<label>\w+_t):s0\S*\s+(?:\d.*\s)?(?P<path>/\S+)")
_RELABELLED: Final = re.compile(r":(?:\w+,)*[zZ](?:,\w+)*$")
_REFUSED: Final = re.compile(r"(?i)permission denied|EACCES|errno 13|\(13: |access denied|operation not permitted")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that is refused access, while what it mounts has the label of something else."""
    enforced = _enforced(case)
    if not enforced:
        return
    for label, path, cited in _labels(case):
        for at, fact in enumerate(case.facts):
            if fact.kind == "container" and _mounts(fact, path) and (refused := _refused(case, fact.entity)):
                more = Fact("note", fact.entity, {"name": NAME, "text": label, "value": path})
                yield JoinedFact(more, (*refused, *cited, *enforced, *case.cite(at, "mounts")))
                break


def _enforced(case: Case) -> tuple[Citation, ...]:
    """Where it is told that SELinux is enforced."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        named = re.search(r"(?i)getenforce|selinux|current mode", str(told.get("name") or told.get("command") or ""))
        if named and re.search(r"(?i)\benforcing\b", str(told.get("value") or told.get("text") or "")):
            return case.cite(at, "value", "text")
    return ()


def _labels(case: Case) -> Iterator[tuple[str, str, tuple[Citation, ...]]]:
    """Paths that `ls -Z` lists with a label that is not for containers."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "reading":
            for match in _LISTED.finditer(str(fact.attributes.get("text") or "")):
                if match["label"] not in _FREE:
                    yield match["label"], match["path"], case.cite(at, "text")


def _mounts(fact: Fact, path: str) -> bool:
    """Whether the container has it as a bind mount without relabelling."""
    for mount in texts(fact.attributes, "mounts"):
        source = mount.partition(":")[0]
        inside = path == source or path.startswith(f"{source.rstrip('/')}/")
        if inside and source.startswith("/") and not _RELABELLED.search(mount):
            return True
    return False


def _refused(case: Case, container: str) -> tuple[Citation, ...]:
    """Where the container's own log says that it was refused."""
    for found in case.findings:
        for citation in found.citations:
            of = case.inventory.owner(citation.source) if citation.source.startswith("logs/") else ""
            if of and case.inventory.same(of, container) and _REFUSED.search(citation.quote or ""):
                return (citation,)
    return ()
