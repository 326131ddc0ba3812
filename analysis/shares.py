"""What a path inside a container lies on: the mount of the host behind it, and whether that is a network share."""

import re
from pathlib import PurePosixPath
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from domain.facts import Fact

_REMOTE: Final = re.compile(
    r"(?i)(?:nfs\d?|cifs|smb\d?|smbfs|fuse\.(?!lxcfs)\S+|9p|virtiofs|vboxsf|prl_fs|davfs|glusterfs|ceph)$"
)


def share_under(case: Case, of: str, path: str) -> int | None:
    """The place of the file system fact that holds a path of this container, if it is a share."""
    on_host = _on_host(case, of, path)
    near: list[tuple[int, int]] = []
    for at, fact in enumerate(case.facts):
        mount = str(fact.attributes.get("mount") or "")
        if fact.kind == "filesystem" and mount and fact.attributes.get("type"):
            inside = fact.entity.startswith("container:")
            looked = path if inside and is_of(case, fact, of) else "" if inside else on_host
            if looked and lies_in(looked, mount):
                near.append((len(mount), at))
    if not near:
        return None
    at = max(near)[1]  # the nearest mount counts
    return at if _REMOTE.match(str(case.facts[at].attributes["type"])) else None


def _on_host(case: Case, of: str, path: str) -> str:
    """The folder of the host that is mounted there; "" where none is known."""
    best = ("", "")
    for fact in case.facts:
        for mount in texts(fact.attributes, "mounts") if is_of(case, fact, of) else ():
            source, _, rest = mount.partition(":")
            inside = rest.partition(":")[0]
            if lies_in(path, inside) and len(inside) > len(best[1]):
                best = (f"{source}{path[len(inside) :]}", inside)
    return best[0]


def is_of(case: Case, fact: Fact, of: str) -> bool:
    """Whether the fact is of this container."""
    return fact.entity.startswith("container:") and case.inventory.same(fact.entity, of)


def lies_in(path: str, folder: str) -> bool:
    """Whether the path is the folder or below it."""
    return folder.startswith("/") and PurePosixPath(path).is_relative_to(folder)
