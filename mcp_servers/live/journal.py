"""The systemd journal through journalctl, one text for each unit."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from domain.errors import ToolUnavailable
from mcp_servers.live.bounded import output

_MOST_LINES: Final = 50_000
_SECONDS: Final = 10.0
_FIELDS: Final = "MESSAGE,_SYSTEMD_UNIT,UNIT,SYSLOG_IDENTIFIER,_COMM,_PID,PRIORITY,_HOSTNAME,_TRANSPORT"
_FOLDERS: Final = ("/var/log/journal", "/run/log/journal")
_LEVELS: Final = ("emerg", "alert", "crit", "error", "warning", "notice", "info", "debug")


def texts(journal: str, since: datetime, until: datetime) -> dict[str, bytes]:
    """`journal/<unit>` -> its lines of that time. Raises ToolUnavailable where there is no journal to read."""
    where = _where(journal)
    if where is None:
        return {}
    span = [f"--since=@{since.timestamp():.0f}", f"--until=@{until.timestamp() + 1:.0f}"]
    asked = ["journalctl", *where, "-o", "json", f"--output-fields={_FIELDS}", "--no-pager", "--quiet", *span]
    found: dict[str, list[str]] = defaultdict(list)
    for entry in _entries(output([*asked, f"--lines={_MOST_LINES}"], _SECONDS)):
        found[f"journal/{_unit(entry)}"].append(_line(entry))
    return {name: ("\n".join(lines) + "\n").encode("utf-8", "replace") for name, lines in sorted(found.items())}


def _where(journal: str) -> list[str] | None:
    """The options that name the journal; None where it is off, or `auto` and there is none."""
    if journal in ("", "auto"):
        return [] if any(any(Path(folder).glob("*/*.journal")) for folder in _FOLDERS) else None
    if journal == "off":
        return None
    if not Path(journal).exists():
        raise ToolUnavailable(f"journal: {journal} does not exist")
    return [f"--directory={journal}"] if Path(journal).is_dir() else [f"--file={journal}"]


def _entries(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:  # the first line, when the output was longer than what is kept
            continue
        if isinstance(entry, dict):
            yield entry


def _unit(entry: dict[str, Any]) -> str:
    if entry.get("_TRANSPORT") == "kernel":
        return "kernel"
    named = entry.get("UNIT") or entry.get("_SYSTEMD_UNIT") or entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM")
    return str(named or "unknown").replace("/", "_")


def _line(entry: dict[str, Any]) -> str:
    """As journalctl -o short-iso prints it, with the level in words."""
    at = datetime.fromtimestamp(int(entry.get("__REALTIME_TIMESTAMP") or 0) / 1e6, UTC)
    stamp = at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    who = str(entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "unknown")
    pid = f"[{entry['_PID']}]" if entry.get("_PID") else ""
    level = _level(entry.get("PRIORITY"))
    return f"{stamp} {entry.get('_HOSTNAME') or '-'} {who}{pid}:{level} {_message(entry.get('MESSAGE'))}"


def _level(priority: object) -> str:
    """In words where it is worse than usual; of the others the message itself may say more."""
    number = int(str(priority)) if str(priority).isdigit() else 6
    return f" [{_LEVELS[number]}]" if number <= 4 else ""


def _message(message: object) -> str:
    """journalctl gives bytes that are no text as a list of numbers."""
    if isinstance(message, list):
        message = bytes(item for item in message if isinstance(item, int) and 0 <= item < 256).decode(
            "utf-8", "replace"
        )
    return str(message or "")
