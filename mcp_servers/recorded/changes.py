"""Changes of a bundle: changes.jsonl, and the diffs it names."""

import json
from collections.abc import Iterator
from datetime import datetime

from analysis.lines.timestamps import parse_time
from bundle.bundle import Bundle
from bundle.documents import lines_of
from domain.codec import Json
from domain.errors import BadBundle
from domain.results import Change
from mcp_servers.changes import Changed
from mcp_servers.recorded.rows import clock_of
from mcp_servers.recorded.topology import RecordedTopology

FILE = "changes.jsonl"
LONGEST = 300  # characters of a quote


class RecordedChanges:
    """Reads the file at every question; it is small."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def changed(self) -> Changed:
        """All changes up to the end of the window."""
        if not self._bundle.exists(FILE):
            return Changed((), (), f"no {FILE} in this bundle")
        problems: list[str] = []
        found = list(self._changes(problems))
        kept = tuple(one for one in found if one.time is None or one.time <= self._bundle.now)
        edges = RecordedTopology(self._bundle).topology().edges
        return Changed(kept, edges, FILE, len(found) - len(kept), tuple(problems))

    def diff(self, change: Change) -> tuple[str, str]:
        """The path and text of a change's diff; an empty text where the bundle has none."""
        if not change.diff or not self._bundle.exists(change.diff):
            return change.diff, ""
        try:
            return change.diff, self._bundle.read_text(change.diff)
        except BadBundle:
            return change.diff, ""

    def _changes(self, problems: list[str]) -> Iterator[Change]:
        clock = clock_of(self._bundle)
        try:
            for number, raw in self._lines():
                item = _object(raw)
                if item is None:
                    problems.append(f"{FILE}:{number}: no JSON object")
                    continue
                at = item.get("time")
                time = parse_time(at, clock) if isinstance(at, str | int | float) else None
                if time is None:
                    problems.append(f"{FILE}:{number}: no readable time")
                change = _change(item, number, raw, time)
                if change.diff and not self._bundle.exists(change.diff):
                    problems.append(f"{FILE}:{number}: the bundle has no such diff: {change.diff[:LONGEST]!r}")
                yield change
        except BadBundle as exc:
            problems.append(str(exc))

    def _lines(self) -> Iterator[tuple[int, str]]:
        with self._bundle.open_bytes(FILE) as stream:
            for number, line in lines_of(FILE, stream, self._bundle.limits):
                if line.strip():
                    yield number, line.rstrip("\r\n")


def _object(raw: str) -> dict[str, Json] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _change(item: dict[str, Json], number: int, raw: str, time: datetime | None) -> Change:
    files = item.get("files")
    return Change(
        _text(item, "id") or f"{FILE}:{number}", time, _text(item, "entity"), _text(item, "kind"),
        _text(item, "summary"),
        commit=_text(item, "commit"), author=_text(item, "author") or _text(item, "actor"),
        files=tuple(str(name) for name in files) if isinstance(files, list) else (), diff=_text(item, "diff"),
        source=FILE, line=number, quote=raw[:LONGEST],
    )  # fmt: skip


def _text(item: dict[str, Json], key: str) -> str:
    value = item.get(key)
    return "" if value is None else str(value)
