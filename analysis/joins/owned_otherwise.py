"""Folders and sockets of the host whose owner or group the user of a container is not."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "owned by another user"
_DENIED: Final = re.compile(
    r"(?i)permission denied|not writable|EACCES|access denied|read-?only|"
    r"cannot (?:create|open|write)|"
    r"failed to (?:open|create|write)|not permitted|unwritable|could not open"
)
_ID: Final = re.compile(r"uid=(?P<uid>\d+)\S* gid=(?P<gid>\d+)\S*(?: groups=(?P<groups>\S+))?")
_NUMBER: Final = re.compile(r"\d+")


class _User(NamedTuple):
    uid: str
    groups: frozenset[str]
    at: int


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that is denied something and whose user the owner of a mounted path is not."""
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        mode, path = str(fact.attributes.get("mode") or ""), str(fact.attributes.get("path") or "")
        if fact.kind != "file" or len(mode) != 10 or not path.startswith("/"):
            continue
        for container, user in _users(case):
            denied = _denied(case, container) if container not in told else None
            if denied is None or not _mounted(case, container, path, mode, denied) or _may_write(fact, user):
                continue
            told.add(container)
            owner, group = fact.attributes.get("owner"), fact.attributes.get("group")
            text = (
                f"{path} belongs to user {owner}, group {group} (mode {mode}), and the container runs as {_words(user)}"
            )
            more = {"name": NAME, "text": text, "value": path}
            cited = (denied, *case.cite(at, "owner", "mode"), *case.cite(user.at, "user", "text"))
            yield JoinedFact(Fact("note", container, {**more}), cited)


def _words(user: _User) -> str:
    return f"user {user.uid}" + (f", groups {', '.join(sorted(user.groups))}" if user.groups else "")


def _users(case: Case) -> Iterator[tuple[str, _User]]:
    """Each container whose user is told as a number: by `id` in it, or by its configuration."""
    for at, fact in enumerate(case.facts):
        match = _ID.match(str(fact.attributes.get("text") or "")) if fact.kind == "reading" else None
        if match is not None and fact.entity.startswith("container:"):
            groups = {match["gid"], *_NUMBER.findall(re.sub(r"\([^)]*\)", "", match["groups"] or ""))}
            yield fact.entity, _User(match["uid"], frozenset(groups), at)
    for at, fact in enumerate(case.facts):
        user = str(fact.attributes.get("user") or "") if fact.kind == "container" else ""
        uid, _, gid = user.partition(":")
        if uid.isdigit() and (not gid or gid.isdigit()):
            yield fact.entity, _User(uid, frozenset({gid} if gid else ()), at)


def _mounted(case: Case, container: str, path: str, mode: str, denied: Citation) -> bool:
    """Whether the container sees it: by a mount of it or of a folder above, or it is the socket that it was denied."""
    sources = [
        mount.partition(":")[0].rstrip("/")
        for fact in case.facts
        if fact.kind == "container" and case.inventory.same(fact.entity, container)
        for mount in texts(fact.attributes, "mounts")
    ]
    within = any(path == source or path.startswith(f"{source}/") for source in sources if source.startswith("/"))
    return within or (mode[0] == "s" and path.rpartition("/")[2] in (denied.quote or ""))


def _may_write(file: Fact, user: _User) -> bool:
    """By the mode for owner, group or others; an owner that is told by name alone is taken to fit."""
    mode, owner = str(file.attributes["mode"]), str(file.attributes.get("owner"))
    group = str(file.attributes.get("group"))
    owner, group = (("0" if each == "root" else each) for each in (owner, group))
    if user.uid == "0" or not owner.isdigit():
        return True
    if owner == user.uid:
        return mode[2] == "w"
    if group in user.groups or not group.isdigit():
        return mode[5] == "w"
    return mode[8] == "w"


def _denied(case: Case, container: str) -> Citation | None:
    for finding in case.findings:
        if case.inventory.same(finding.entity, container):
            for citation in finding.citations:
                if _DENIED.search(citation.quote or ""):
                    return citation
    return None
