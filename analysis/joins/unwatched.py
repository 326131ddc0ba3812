"""A folder that a program watches by file events, on a network share that tells none."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Attribute, Fact

NAME: Final = "watch on network"
_WATCHES: Final = "disk-no-file-events/watches"
_SHARES: Final = re.compile(r"(?i)nfs4?|cifs|smb3?|9p|fuse\.(?:sshfs|rclone|glusterfs|mergerfs)|glusterfs|ceph")
_FOLDER: Final = re.compile(r"/[\w./-]+")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program whose watched folder has the name of one that is mounted from the network."""
    for watches in case.findings:
        if watches.signature != _WATCHES or not watches.citations:
            continue
        quote = watches.citations[0].quote or ""
        watched = {path.rstrip("/").rpartition("/")[2] for path in _FOLDER.findall(quote)} - {""}
        for at, fact in enumerate(case.facts):
            kind = str(fact.attributes.get("type") or "")
            mount = str(fact.attributes.get("mount") or "")
            shared = fact.kind == "filesystem" and _SHARES.fullmatch(kind) is not None
            if shared and watched & set(mount.strip("/").split("/")):
                told: dict[str, Attribute] = {
                    "name": NAME, "text": f"the watched folder lies on {mount}, a share of type {kind}", "value": kind,
                }  # fmt: skip
                cited = (*watches.citations[:1], *case.cite(at, "type"))
                yield JoinedFact(Fact("note", watches.entity, told), cited, watches.onset)
                break
