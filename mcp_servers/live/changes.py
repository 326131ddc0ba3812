"""What was changed on this machine: containers by the engine's events, packages by the package manager's history."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from analysis.captures.docker_events import event_fact
from analysis.lines.timestamps import Clock, parse_time
from domain.entity import name_of
from domain.errors import ToolTimeout, ToolUnavailable
from domain.facts import Fact
from domain.results import Change
from mcp_servers.changes import Changed
from mcp_servers.live.engine import Engine, Json
from mcp_servers.live.topology import LiveTopology
from mcp_servers.live.watch import Watch

DPKG: Final = Path("/var/log/dpkg.log")
_BACK: Final = timedelta(days=2)
_MOST_BYTES: Final = 4 << 20  # of the package history, its last ones
_MOST_NAMES: Final = 12
_ECHO_SECONDS: Final = 3  # between a container's start or end and what its networks report
_LONGEST: Final = 300
# What a person or a deployment does; starts and ends alone also come of crash loops.
_DOCKER: Final = {
    ("container", "create"): "deploy", ("container", "destroy"): "deploy", ("container", "rename"): "config",
    ("container", "update"): "config", ("container", "restart"): "restart", ("container", "stop"): "restart",
    ("container", "pause"): "restart", ("container", "unpause"): "restart", ("network", "connect"): "config",
    ("network", "disconnect"): "config", ("network", "create"): "config", ("network", "destroy"): "config",
    ("image", "pull"): "deploy", ("image", "tag"): "deploy",
}  # fmt: skip
_PACKAGE: Final = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (install|upgrade|remove|purge) (\S+?)(?::\w+)? (\S+) (\S+)$"
)


class LiveChanges:
    """Reads events and package history at every question; both are small."""

    def __init__(self, engine: Engine, watch: Watch, packages: Path = DPKG) -> None:
        self._engine, self._watch, self._packages = engine, watch, packages

    def changed(self) -> Changed:
        """All changes up to now."""
        problems: list[str] = []
        since = min(self._watch.start, self._watch.end - _BACK)
        found = [*self._of_engine(since, problems), *self._of_packages(since, problems)]
        kept = tuple(one for one in found if one.time is None or one.time <= self._watch.end)
        edges = LiveTopology(self._engine, self._watch).topology().edges
        source = f"{self._engine.name} events, {self._packages}"
        return Changed(kept, edges, source, len(found) - len(kept), tuple(problems))

    def diff(self, change: Change) -> tuple[str, str]:
        """Of a live change no diff is known."""
        return change.diff, ""

    def _of_engine(self, since: datetime, problems: list[str]) -> list[Change]:
        if not self._engine.is_there:
            return []
        context = self._watch.context(f"{self._engine.name} events")
        try:
            events = self._engine.events(since, self._watch.end)
        except (ToolUnavailable, ToolTimeout) as exc:
            problems.append(str(exc))
            return []
        facts = ((event, event_fact(event, context)) for event in _without_echoes(events))
        names = _names_of_containers(events)
        return [c for event, fact in facts if fact and (c := _of_event(fact, names.get(_member(event), "")))]

    def _of_packages(self, since: datetime, problems: list[str]) -> list[Change]:
        try:
            text = _tail(self._packages)
        except FileNotFoundError:  # another package manager, or none
            return []
        except OSError as exc:
            problems.append(f"{self._packages}: cannot be read: {exc.strerror}")
            return []
        return list(packages(text, str(self._packages), self._watch.host, self._watch.stamps, since))


def _of_event(fact: Fact, member: str) -> Change | None:
    told: dict[str, Any] = fact.attributes
    kind = _DOCKER.get((str(told.get("type")), str(told.get("reason"))))
    if kind is None:
        return None
    name, image = name_of(fact.entity), told.get("image")
    more = f" {member}" if member else f" (image {image})" if image else ""
    summary = f"{told['type']} {name}: {told['reason']}{more}"
    identity = f"docker:{told['reason']}:{name}:{fact.at.timestamp() if fact.at else 0:.3f}"
    return Change(identity, fact.at, member or name, kind, summary, source=fact.source)


def _without_echoes(events: list[Json]) -> list[Json]:
    """Without the joining and leaving of networks that goes with every start and end of a container."""
    moved: dict[str, list[float]] = defaultdict(list)
    for event in events:
        if event.get("Type") == "container" and event.get("Action") in ("start", "die"):
            moved[str((event.get("Actor") or {}).get("ID"))].append(float(event.get("time") or 0))
    return [
        event
        for event in events
        if not any(abs(float(event.get("time") or 0) - at) <= _ECHO_SECONDS for at in moved.get(_member(event), ()))
    ]


def _member(event: Json) -> str:
    """The container that an event of a network is about."""
    attributes = (event.get("Actor") or {}).get("Attributes") or {}
    return str(attributes.get("container") or "") if event.get("Type") == "network" else ""


def _names_of_containers(events: list[Json]) -> dict[str, str]:
    actors = [event.get("Actor") or {} for event in events if event.get("Type") == "container"]
    return {str(one.get("ID")): str((one.get("Attributes") or {}).get("name") or "") for one in actors}


def packages(text: str, source: str, host: str, clock: Clock, since: datetime) -> Iterator[Change]:
    """Packages that were installed, upgraded or removed, those of one minute as one change."""
    together: dict[str, list[tuple[re.Match[str], str]]] = {}
    for line in text.splitlines():
        if match := _PACKAGE.match(line):
            together.setdefault(match[1][:16], []).append((match, line))
    for rows in together.values():
        at = parse_time(rows[0][0][1], clock)
        if at is None or at >= since:
            yield _of_packages(rows, at, source, host)


def _of_packages(rows: list[tuple[re.Match[str], str]], at: datetime | None, source: str, host: str) -> Change:
    said = [_said(match) for match, _ in rows]
    more = f" and {len(said) - _MOST_NAMES} more" if len(said) > _MOST_NAMES else ""
    first = rows[0][1]
    return Change(
        f"packages:{rows[0][0][1].replace(' ', 'T')}", at, host, "deploy",
        f"packages: {', '.join(said[:_MOST_NAMES])}{more}", files=tuple(_names(rows)), source=source,
        quote=first[:_LONGEST],
    )  # fmt: skip


def _said(match: re.Match[str]) -> str:
    return f"{match[2]} {match[3]} {match[4]} -> {match[5]}" if match[2] == "upgrade" else f"{match[2]} {match[3]}"


def _names(rows: Iterable[tuple[re.Match[str], str]]) -> list[str]:
    return sorted({match[3] for match, _ in rows})[:100]


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MOST_BYTES))
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
