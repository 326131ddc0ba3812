"""A program that waits for file events in a folder of a network share: the kernel tells only of changes made here."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "watched_share"
WAITING: Final = "watched_share_files_wait"
_FAULT: Final = "disk.no_file_events"
_REMOTE: Final = re.compile(
    r"(?i)(?:nfs\d?|cifs|smb\d?|smbfs|fuse\.(?!lxcfs)\S+|9p|virtiofs|vboxsf|prl_fs|davfs|glusterfs|ceph)$"
)
_POLLS: Final = re.compile(r"(?i)^\w*POLL\w*=(?!0?$|false$|no$|off$).+")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each watched folder that lies on a share, unless the program is told to poll."""
    told: set[str] = set()
    for watch in case.findings:
        path = watch.captures.get("path", "") if watch.kind == _FAULT else ""
        if not path or watch.entity in told or _polls(case, watch):
            continue
        on_host = _on_host(case, watch, path)
        share = _share(case, watch, path, on_host)
        if share is not None:
            told.add(watch.entity)
            yield _joined(case, watch, path, share)


def _on_host(case: Case, watch: Finding, path: str) -> str:
    """The folder of the host that is mounted there; "" where none is known."""
    best = ("", "")
    for fact in case.facts:
        for mount in texts(fact.attributes, "mounts") if _is_of(case, fact, watch) else ():
            source, _, rest = mount.partition(":")
            inside = rest.partition(":")[0]
            if _lies_in(path, inside) and len(inside) > len(best[1]):
                best = (f"{source}{path[len(inside) :]}", inside)
    return best[0]


def _share(case: Case, watch: Finding, path: str, on_host: str) -> int | None:
    """The place of the file system that holds the folder, the nearest mount, if it is remote."""
    near: list[tuple[int, int]] = []
    for at, fact in enumerate(case.facts):
        mount = str(fact.attributes.get("mount") or "")
        if fact.kind == "filesystem" and mount and fact.attributes.get("type"):
            inside = fact.entity.startswith("container:")
            looked = path if inside and case.inventory.same(fact.entity, watch.entity) else "" if inside else on_host
            if looked and _lies_in(looked, mount):
                near.append((len(mount), at))
    if not near:
        return None
    at = max(near)[1]
    return at if _REMOTE.match(str(case.facts[at].attributes["type"])) else None


def _joined(case: Case, watch: Finding, path: str, share: int) -> JoinedFact:
    mounted = case.facts[share].attributes
    waiting = [at for at, fact in enumerate(case.facts) if _waits(case, fact, watch, path)]
    text = f"{path} is a share ({mounted['type']}, {mounted.get('device', 'remote')}) and is watched by file events"
    name = WAITING if waiting else NAME
    cited = (*watch.citations[:1], *case.cite(share, "type", "device"), *(case.cite(waiting[0]) if waiting else ()))
    return JoinedFact(Fact("note", watch.entity, {"name": name, "text": text, "value": path}), cited, None)


def _waits(case: Case, fact: Fact, watch: Finding, path: str) -> bool:
    """Whether a file is seen to lie there."""
    seen = str(fact.attributes.get("path") or "")
    plain = fact.kind == "file" and fact.attributes.get("kind") == "file" and fact.attributes.get("exists") is True
    return plain and _lies_in(seen, path) and seen != path and _is_of(case, fact, watch)


def _polls(case: Case, watch: Finding) -> bool:
    return any(
        _POLLS.match(each) for fact in case.facts if _is_of(case, fact, watch) for each in texts(fact.attributes, "env")
    )


def _is_of(case: Case, fact: Fact, watch: Finding) -> bool:
    return fact.entity.startswith("container:") and case.inventory.same(fact.entity, watch.entity)


def _lies_in(path: str, folder: str) -> bool:
    return bool(folder) and folder.startswith("/") and PurePosixPath(path).is_relative_to(folder)
