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
# A server's own grants are no matter of files: `permission denied for table x`, `Access denied for user`.
_REFUSED: Final = re.compile(
    r"(?i)permission denied(?! (?:for|to) \w| \(publickey)|EACCES|errno 13|\(13: |access denied(?! for user)|"
    r"operation not permitted"
)
_LIVE: Final = re.compile(r"(?i)getenforce|sestatus|current mode|selinux/enforce\b")  # a file tells only the next boot
_MODE: Final = re.compile(r"(?im)^(?:current mode:)?\s*(?P<mode>enforcing|permissive|disabled|[01])\s*$")
_UNCONFINED: Final = re.compile(r"label[=:](?:disable|type:(?:spc_t|unconfined_t))")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that is refused access, while what it mounts has the label of something else."""
    enforced = _enforced(case)
    if not enforced:
        return
    for label, path, cited in _labels(case):
        for at, fact in enumerate(case.facts):
            if _mounts(fact, path) and _is_confined(case, fact.entity) and (refused := _refused(case, fact.entity)):
                more = Fact("note", fact.entity, {"name": NAME, "text": label, "value": path})
                yield JoinedFact(more, (*refused, *cited, *enforced, *case.cite(at, "mounts")))
                break


def _enforced(case: Case) -> tuple[Citation, ...]:
    """Where it is told that SELinux is enforced, and nowhere that it is not."""
    modes = [(at, mode) for at, fact in enumerate(case.facts) if (mode := _mode(fact))]
    if not modes or any(mode not in ("enforcing", "1") for _, mode in modes):
        return ()
    return case.cite(modes[0][0], "value", "text")


def _mode(fact: Fact) -> str:
    """What the running kernel says of it."""
    told = fact.attributes
    if told.get("origin") or not _LIVE.search(str(told.get("name") or told.get("command") or "")):
        return ""
    said = (_MODE.search(str(told.get(name, ""))) for name in ("value", "text"))
    return next((match["mode"].lower() for match in said if match), "")


def _labels(case: Case) -> Iterator[tuple[str, str, tuple[Citation, ...]]]:
    """Paths that `ls -Z` lists with a label that is not for containers."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "reading":
            for match in _LISTED.finditer(str(fact.attributes.get("text") or "")):
                if match["label"] not in _FREE:
                    yield match["label"], match["path"], case.cite(at, "text")


def _is_confined(case: Case, container: str) -> bool:
    """Whether labels hold for it: nobody told that it is privileged, or that they are off."""
    own = [fact.attributes for fact in case.facts if fact.kind == "container" and fact.entity == container]
    free = any(told.get("privileged") is True or _UNCONFINED.search(str(told.get("security") or "")) for told in own)
    return not free


def _mounts(fact: Fact, path: str) -> bool:
    """Whether the container has it as a bind mount without relabelling."""
    for mount in texts(fact.attributes, "mounts") if fact.kind == "container" else ():
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
