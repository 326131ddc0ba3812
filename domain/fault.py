"""What can be wrong: a fault, written `family.kind[.detail]`. Runbooks define the kinds, this file the families."""

import re
from typing import Final

FAMILIES: Final = {
    "memory": "too little memory: OOM kills, leaks, swap, overcommit",
    "disk": "space, inodes, IO errors, IO latency, read-only file systems",
    "cpu": "saturation, throttling, a missing instruction set",
    "process": "descriptors, pids, threads, zombies, crashes, exits",
    "network": "reachability, firewall, MTU, routes, ports, packet loss, delay",
    "dns": "names that do not resolve, resolve late or to a stale address",
    "tls": "certificates, chains, protocols, issuance",
    "time": "clock skew, time zones, jumps",
    "credentials": "passwords, tokens, keys, permissions of identities",
    "database": "connections, locks, slow queries, settings, corruption",
    "replication": "lag, slots, write-ahead logs, split brain",
    "queue": "backlogs, offsets, blocked publishers, consumers",
    "cache": "eviction, limits, stampedes, persistence of caches",
    "proxy": "upstreams, routing, limits of reverse proxies",
    "runtime": "container engine, kernel, seccomp, cgroups, image format",
    "host": "the machine itself: power, kernel, devices, upgrades, schedule",
    "health": "health checks and probes that judge wrongly or rightly",
    "change": "a deploy, a commit, a flag or a scale event that broke it",
    "config": "a missing or wrong setting, variable, mount, label or file",
    "kubernetes": "scheduling, images, claims, quotas, states of the cluster",
    "data": "stored state that does not fit the software that reads it",
    "security": "compromise, exposure, abuse",
    "application": "an exception or wrong answer of the program itself",
    "dependency": "another service in sight that this one needs",
    "load": "more work than the capacity that is there",
    "external": "the cause lies outside what can be seen",
    "none": "nothing is wrong",
}
_FAULT: Final = re.compile(r"[a-z]+(\.[a-z0-9_]+){1,2}")


def family_of(fault: str) -> str:
    """The family a fault belongs to."""
    return fault.partition(".")[0]


def is_fault(text: str) -> bool:
    """Whether the text is well formed and its family is known."""
    return bool(_FAULT.fullmatch(text)) and family_of(text) in FAMILIES


def is_none(fault: str) -> bool:
    """Whether the fault says that nothing is wrong."""
    return family_of(fault) == "none"


def covers(pattern: str, fault: str) -> bool:
    """Whether `pattern`, a fault or the front of one followed by `.*`, means `fault`."""
    if pattern.endswith(".*"):
        return fault.startswith(pattern[:-1])
    return fault == pattern or fault.startswith(f"{pattern}.")
