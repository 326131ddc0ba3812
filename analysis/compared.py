"""Puts numbers beside what they count against: use and limit, load and processors, MTU of bridge and uplink."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from domain.entity import kind_of
from domain.facts import Attribute, Fact

_UPLINK: Final = re.compile(r"(?:eth|en[opsx]|bond|wlan|wlp|ppp|wwan)\d*\w*")
_INNER: Final = re.compile(r"(?:docker|br-|cni|flannel|cali|vxlan|virbr|weave|lxc|podman|kube-bridge)[\w.-]*")
_TABLE: Final = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO|TABLE)\s+(?:ONLY\s+)?[\"`\[]?([A-Za-z_][\w.$]*)", re.IGNORECASE)
_MOST: Final = 0.5  # share of the load from which on one user is the one who runs the statements
Key = tuple[str, str]  # source and entity


def used_up(fact: Fact) -> Fact:
    """Processes of a container as a share of its limit, connections of a pool as a share of its size."""
    of = {"container": ("pids", "pids_limit", "pids_percent"), "pool": ("active", "max", "used_percent")}.get(fact.kind)
    if of is None:
        return fact
    used, most = number(fact.attributes.get(of[0])), number(fact.attributes.get(of[1]))
    return _told(fact, **{of[2]: round(100 * used / most, 1)}) if used is not None and most else fact


@dataclass(frozen=True)
class Machine:
    """What one source tells once and other facts of it are compared with."""

    cpus: Mapping[Key, float]
    uplinks: Mapping[str, float]  # source -> smallest MTU of an uplink
    users: Mapping[str, str]  # source -> the user who makes most of a database's load

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Self:
        """What the facts tell of processors, uplinks and users."""
        cpus: dict[Key, float] = {}
        uplinks: dict[str, float] = {}
        loads: dict[str, dict[str, float]] = defaultdict(dict)
        for fact in facts:
            told = fact.attributes
            if fact.kind == "cpu" and (count := number(told.get("cpus"))):
                cpus[fact.source, fact.entity] = count
            elif (
                fact.kind == "interface"
                and _UPLINK.fullmatch(str(told.get("name")))
                and (mtu := number(told.get("mtu")))
            ):
                uplinks[fact.source] = min(mtu, uplinks.get(fact.source, mtu))
            elif fact.kind == "sql" and told.get("user"):
                loads[fact.source][str(told["user"])] = number(told.get("load")) or 0.0
        return cls(cpus, uplinks, {source: user for source, each in loads.items() if (user := _most(each))})

    def compared(self, fact: Fact) -> Fact:
        """The fact with what it counts against."""
        reader = {"load": self._load, "interface": self._interface, "sql": self._sql, "pool": used_up}.get(fact.kind)
        return reader(fact) if reader else fact

    def _load(self, fact: Fact) -> Fact:
        cpus = number(fact.attributes.get("cpus")) or self.cpus.get((fact.source, fact.entity))
        load = number(fact.attributes.get("load1"))
        return _told(fact, cpus=cpus, per_cpu=round(load / cpus, 2)) if cpus and load is not None else fact

    def _interface(self, fact: Fact) -> Fact:
        mtu, uplink = number(fact.attributes.get("mtu")), self.uplinks.get(fact.source)
        if mtu is None or uplink is None or not _INNER.fullmatch(str(fact.attributes.get("name"))):
            return fact
        return _told(fact, uplink_mtu=int(uplink), mtu_over=int(mtu - uplink))

    def _sql(self, fact: Fact) -> Fact:
        """The table that a statement is about, and who runs it where one user makes most of the load."""
        table = _TABLE.search(str(fact.attributes.get("statement") or ""))
        user = self.users.get(fact.source) if kind_of(fact.entity) == "query" else None
        told = {"table": table[1] if table else None, "user": user}
        return _told(fact, **{name: value for name, value in told.items() if value and name not in fact.attributes})


def number(value: Attribute) -> float | None:
    """The value where it is a number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _told(fact: Fact, **more: Attribute) -> Fact:
    return replace(fact, attributes=fact.attributes | more) if more else fact


def _most(loads: Mapping[str, float]) -> str:
    user, load = max(loads.items(), key=lambda each: (each[1], each[0]), default=("", 0.0))
    return user if load and load > _MOST * sum(loads.values()) else ""
