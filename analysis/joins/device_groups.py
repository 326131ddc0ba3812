"""A device node whose group the container's process is not in: the numbers of groups differ from host to host."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation, Finding
from domain.facts import Fact

NAME: Final = "device_group"
_FAULTS: Final = ("host.device_permission", "host.device_missing", "process.permission_denied")
_MODE: Final = re.compile(r"[cb].{2}.{1}(?P<group>rw).(?P<others>..)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that complains of a device which only root and a group may use that it lacks."""
    told: set[tuple[str, str]] = set()
    for at, node in enumerate(case.facts):
        path = str(node.attributes.get("path") or "")
        gid = _closed_group(case, node)
        for place, container in _users(case, path) if gid else ():
            complaint = _complaint(case, container, path)
            if complaint and gid not in _groups(case, container) and (container.entity, path) not in told:
                told.add((container.entity, path))
                has = ", ".join(sorted(_groups(case, container), key=int)) or "none"
                text = f"{path} belongs to group {_named(case, gid)} on this host, the process is in group {has}"
                fact = Fact("note", container.entity, {"name": NAME, "text": text, "value": path})
                cited = (*complaint.citations[:1], *case.cite(at, "group", "mode"), *_shown(case, container, place))
                yield JoinedFact(fact, cited, complaint.onset)


def _closed_group(case: Case, node: Fact) -> str:
    """The number of the group that may use the device, where others may not; `` where that is not known."""
    mode = _MODE.match(str(node.attributes.get("mode") or ""))
    if node.kind != "file" or not mode or "r" in mode["others"] or "w" in mode["others"]:
        return ""
    group = str(node.attributes.get("group") or "")
    return group if group.isdecimal() else _numbers(case).get(group, "")


def _numbers(case: Case) -> dict[str, str]:
    """The groups of the host by name."""
    return {
        str(fact.attributes["name"]).removeprefix("group "): str(fact.attributes.get("value") or "")
        for fact in case.facts
        if fact.kind == "setting" and fact.attributes.get("origin") == "group" and fact.entity.startswith("host:")
    }


def _named(case: Case, gid: str) -> str:
    return next((f"{gid} ({name})" for name, number in _numbers(case).items() if number == gid), gid)


def _complaint(case: Case, container: Fact, path: str) -> Finding | None:
    """What this container says of the device, or a program of which it is not known where it runs."""
    named = re.compile(rf"{re.escape(path)}(?![\w/])")
    others = {fact.entity for fact in case.facts if fact.kind == "container"} - {container.entity}
    return next(
        (
            f
            for f in case.findings
            if f.kind in _FAULTS and any(named.search(c.quote or "") for c in f.citations)
            if case.inventory.same(f.entity, container.entity)
            or not any(case.inventory.same(f.entity, other) for other in others)
        ),
        None,
    )


def _users(case: Case, path: str) -> Iterator[tuple[int, Fact]]:
    """The containers that have the device, and whose process is not root."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "container" and "devices" in fact.attributes and _user(case, fact) not in ("", "0", "root"):
            given = [device.partition(":")[0] for device in texts(fact.attributes, "devices")]
            if path in given or any(path.startswith(f"{each}/") for each in given):
                yield at, fact


def _user(case: Case, container: Fact) -> str:
    return next(
        (user.partition(":")[0] for fact in _of(case, container) for user in texts(fact.attributes, "user")), ""
    )


def _groups(case: Case, container: Fact) -> set[str]:
    """The numbers of all groups it is in; named ones are the image's own, so they count by the host's name at most."""
    numbers = _numbers(case)
    found = {group for fact in _of(case, container) for group in texts(fact.attributes, "groups")}
    found |= {user.partition(":")[2] for fact in _of(case, container) for user in texts(fact.attributes, "user")}
    return {number for each in found if (number := each if each.isdecimal() else numbers.get(each, ""))}


def _of(case: Case, container: Fact) -> list[Fact]:
    return [
        fact for fact in case.facts if fact.kind == "container" and case.inventory.same(fact.entity, container.entity)
    ]


def _shown(case: Case, container: Fact, place: int) -> tuple[Citation, ...]:
    """Where its groups are told: what `id` printed, else its configuration."""
    own = (
        at
        for at, fact in enumerate(case.facts)
        if fact.kind == "container" and fact.quote and "groups" in fact.attributes
        and case.inventory.same(fact.entity, container.entity)
    )  # fmt: skip
    return case.cite(next(own, place), "groups", "user")
