"""Memory, load, CPU, pressure and disks of the machine: what two looks half a second apart tell."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from analysis.captures.context import Context, safe_entity
from domain.facts import Fact

SECONDS: Final = 0.5  # between the two looks
_PRESSURE: Final = Path("/proc/pressure")
_SHARES: Final = ("user", "system", "idle", "iowait", "steal")
_NO_DISK: Final = ("loop", "ram", "zram", "fd", "sr")


@dataclass(frozen=True)
class Looked:
    """What only counts up, at one moment."""

    at: float
    cpu: Any  # psutil's scputimes
    disks: dict[str, Any]  # psutil's sdiskio, by device
    processes: dict[int, float]  # CPU seconds


def look() -> Looked:
    """The counters as they are now."""
    used = {
        one.pid: sum(one.info["cpu_times"][:2]) for one in psutil.process_iter(["cpu_times"]) if one.info["cpu_times"]
    }
    return Looked(time.monotonic(), psutil.cpu_times(), psutil.disk_io_counters(perdisk=True) or {}, used)


def machine_facts(before: Looked, now: Looked, context: Context) -> list[Fact]:
    """All facts of this module."""
    return [
        _memory(context),
        _load(context),
        _cpu(before, now, context),
        *pressure(context),
        *_disks(before, now, context),
    ]


def _memory(context: Context) -> Fact:
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    told = {
        "total": memory.total, "used": memory.used, "free": memory.free, "available": memory.available,
        "shared": memory.shared, "cache": memory.cached, "swap_total": swap.total, "swap_used": swap.used,
        "swap_free": swap.free, "available_percent": round(100 * memory.available / memory.total, 1),
    }  # fmt: skip
    return context.fact("memory", context.host, None, **told)


def _load(context: Context) -> Fact:
    load1, load5, load15 = _averages_of_load()
    up = round(time.time() - psutil.boot_time())
    users = len(psutil.users())
    return context.fact(
        "load", context.host, None, load1=round(load1, 2), load5=round(load5, 2), load15=round(load15, 2),
        cpus=psutil.cpu_count(), users=users, uptime_seconds=up,
    )  # fmt: skip


def _averages_of_load(path: Path = Path("/proc/loadavg")) -> tuple[float, float, float]:
    """As /proc tells it: in a system container that is the container's own, which the C library does not ask for."""
    try:
        one, five, fifteen, *_ = path.read_text().split()
    except (OSError, ValueError):
        return os.getloadavg()
    return float(one), float(five), float(fifteen)


def _cpu(before: Looked, now: Looked, context: Context) -> Fact:
    spent = {name: getattr(now.cpu, name) - getattr(before.cpu, name) for name in now.cpu._fields}
    total = sum(value for name, value in spent.items() if not name.startswith("guest")) or 1.0
    told = {name: round(100 * max(spent[name], 0.0) / total, 1) for name in _SHARES if name in spent}
    return context.fact(
        "cpu", context.host, None, **told, cpus=psutil.cpu_count(), percent=round(100 - told["idle"], 1)
    )


def pressure(context: Context, folder: Path = _PRESSURE) -> Iterator[Fact]:
    """PSI: the share of time in which tasks waited for CPU, memory or io; nothing on a kernel without it."""
    for resource in ("cpu", "io", "memory"):
        try:
            text = (folder / resource).read_text()
        except OSError:
            continue
        told = dict(_averages(text))
        yield context.fact("pressure", context.host, None, resource=resource, **told)


def _averages(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        who, *pairs = line.split()
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name in ("avg10", "avg60") and who in ("some", "full"):
                yield f"{who}{name.removeprefix('avg')}", float(value)


def _disks(before: Looked, now: Looked, context: Context) -> Iterator[Fact]:
    seconds = max(now.at - before.at, 1e-3)
    for device, counted in sorted(now.disks.items()):
        earlier = before.disks.get(device)
        if earlier is None or device.startswith(_NO_DISK):
            continue
        reads, writes = counted.read_count - earlier.read_count, counted.write_count - earlier.write_count
        waited = counted.read_time + counted.write_time - earlier.read_time - earlier.write_time
        busy = getattr(counted, "busy_time", 0) - getattr(earlier, "busy_time", 0)
        yield context.fact(
            "disk", safe_entity("disk", device), None, device=device, read_iops=round(reads / seconds, 1),
            write_iops=round(writes / seconds, 1), await_ms=round(waited / max(reads + writes, 1), 2),
            util_percent=round(min(100.0, busy / (10 * seconds)), 1),
        )  # fmt: skip
