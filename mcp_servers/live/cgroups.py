"""Control groups, v1 and v2: who has a limit and how near it is, who was killed or throttled at it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from analysis.captures.context import Context, safe_entity
from domain.facts import Fact

ROOT: Final = Path("/sys/fs/cgroup")
_MOST: Final = 1000  # groups that are looked at
_DEPTH: Final = 6
_NO_LIMIT: Final = 1 << 60  # v1 writes "no limit" as a huge number
_CONTAINER: Final = re.compile(r"(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:/|$)")
_ID: Final = 12


def cgroup_facts(context: Context, names: Mapping[str, str], root: Path = ROOT) -> list[Fact]:
    """Facts of every group with news; `names` gives containers by the start of their id."""
    return [fact for group in _groups(root) for fact in _facts(group, _entity(group, names, context), context)]


def _groups(root: Path) -> Iterator[Path]:
    """All groups, in v1 those of the controllers that are read."""
    v2 = (root / "cgroup.controllers").exists()
    rest = [(root, 0)] if v2 else [(root / name, 0) for name in ("memory", "cpu", "cpu,cpuacct", "pids")]
    seen: set[Path] = set()
    while rest and len(seen) < _MOST:
        folder, depth = rest.pop(0)
        real = folder.resolve()
        if real in seen or not folder.is_dir():
            continue
        seen.add(real)
        yield folder
        if depth < _DEPTH:
            rest += [(below, depth + 1) for below in sorted(folder.iterdir()) if below.is_dir()]


def _entity(group: Path, names: Mapping[str, str], context: Context) -> str:
    if found := _CONTAINER.search(str(group)):
        identity = found[1][:_ID]
        return safe_entity("container", names.get(identity, identity))
    unit = next((part for part in reversed(group.parts) if part.endswith(".service")), "")
    return safe_entity("service", unit.removesuffix(".service"), context.host) if unit else context.host


def _facts(group: Path, of: str, context: Context) -> Iterator[Fact]:
    for limit, use in (
        ("memory.max", "memory.current"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ("pids.max", "pids.current"),
    ):
        hard = _number(group / limit)
        if hard is not None and hard < _NO_LIMIT:
            yield context.fact("limit", of, None, name=limit, hard=hard, used=_number(group / use))
    kills = _flat(group / "memory.events").get("oom_kill") or _flat(group / "memory.oom_control").get("oom_kill")
    if kills:
        yield context.fact("kernel", of, None, event="cgroup_oom_kill", cgroup=group.name, message=f"oom_kill {kills}")
    cpu = _flat(group / "cpu.stat")
    if cpu.get("nr_periods") and cpu.get("nr_throttled"):
        share = round(100 * cpu["nr_throttled"] / cpu["nr_periods"], 1)
        yield context.fact("cpu", of, None, throttled_percent=share)


def _number(path: Path) -> int | None:
    """What a file of one number says; None where it is missing or says `max`."""
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _flat(path: Path) -> dict[str, int]:
    pairs = (line.split() for line in _text(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # not of this version, or its group ended
        return ""
