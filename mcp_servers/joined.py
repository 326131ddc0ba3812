"""Facts of one bundle put beside each other: containers by name, use beside limits."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from analysis.compared import Machine, used_up
from domain.entity import kind_of, name_of
from domain.facts import Attribute, Fact

_ID: Final = 12  # characters of a container's short id
_LIMITS: Final = (("pids", "pids_limit"), ("memory_usage", "memory_limit"), ("cpu_percent", "cpu_limit"))
_CALLED: Final = re.compile(r"[a-z][a-z0-9_-]{2,}")


def joined(facts: list[Fact]) -> Iterator[Fact]:
    """The facts, each under the name by which the others know its container."""
    containers = [fact for fact in facts if fact.kind == "container"]
    names = {str(fact.attributes["id"])[:_ID]: fact.entity for fact in containers if fact.attributes.get("id")}
    limits = {f.entity: f.attributes for f in containers if any(limit in f.attributes for _, limit in _LIMITS)}
    machine = Machine.of(facts)
    for fact in facts:
        fact = _renamed(fact, names)
        if fact.kind == "container":
            fact = used_up(_limited(fact, limits.get(fact.entity, {})))
        elif fact.kind == "process" and fact.attributes.get("state") == "Z":
            fact = _adopted(fact, containers)
        yield machine.compared(fact)


def _renamed(fact: Fact, names: Mapping[str, str]) -> Fact:
    """A container of which only the id was told."""
    name = name_of(fact.entity)
    known = kind_of(fact.entity) == "container" and len(name) >= _ID and names.get(name[:_ID])
    return replace(fact, entity=known) if known else fact


def _limited(fact: Fact, known: Mapping[str, Attribute]) -> Fact:
    """Use, with the limit that it counts against."""
    told = {limit: known[limit] for use, limit in _LIMITS if use in fact.attributes and limit in known}
    return replace(fact, attributes=told | fact.attributes) if told else fact


def _adopted(fact: Fact, containers: list[Fact]) -> Fact:
    """Zombies are their parent's doing: of the one container whose health check or command runs that program."""
    called = set(_CALLED.findall(str(fact.attributes.get("command") or "")))
    parents = {container.entity for container in containers if called & set(_CALLED.findall(_commands(container)))}
    return replace(fact, entity=parents.pop()) if len(parents) == 1 else fact


def _commands(container: Fact) -> str:
    told = (container.attributes.get(name) for name in ("health_command", "command", "entrypoint"))
    return " ".join(" ".join(map(str, value)) if isinstance(value, list) else str(value or "") for value in told)
