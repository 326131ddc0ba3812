"""Business rules on arguments that a JSON Schema cannot say."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import re2

from domain.codec import Json
from domain.errors import InvalidToolInput

PATTERNS: Final = ("grep", "pattern")
TIMES: Final = ("since", "until", "moment")
PATHS: Final = ("sources", "source", "name", "change")
QUIET: Final = re2.Options()
QUIET.log_errors = False


def check_rules(tool: str, arguments: dict[str, Json]) -> None:
    """Refuse bad patterns, times and paths. Raises InvalidToolInput that says how to do better."""
    for key, value in _leaves(arguments):
        if key in PATTERNS:
            _check_pattern(tool, value)
        elif key in TIMES:
            _check_time(tool, key, value)
        elif key in PATHS:
            _check_path(tool, key, value)
    since, until = arguments.get("since"), arguments.get("until")
    if since and until and _time(str(since)) > _time(str(until)):
        raise InvalidToolInput(f"{tool}: since {since} lies after until {until}; swap them")


def _leaves(arguments: dict[str, Json]) -> Iterator[tuple[str, str]]:
    for key, value in arguments.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield key, item
            elif isinstance(item, dict):
                yield from _leaves(item)


def _check_pattern(tool: str, pattern: str) -> None:
    try:
        re2.compile(pattern, QUIET)
    except re2.error as exc:
        said = exc.args[0].decode() if exc.args and isinstance(exc.args[0], bytes) else str(exc)
        raise InvalidToolInput(
            f"{tool}: {pattern[:80]!r} is no RE2 pattern ({said}); RE2 has no lookaround and no back-references"
        ) from exc


def _check_time(tool: str, key: str, value: str) -> None:
    if _time(value).tzinfo is None:
        raise InvalidToolInput(f"{tool}: {key} {value!r} has no zone; write RFC 3339, as 2026-08-18T10:22:00Z")


def _time(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError as exc:
        raise InvalidToolInput(f"{value!r} is no time; write RFC 3339, as 2026-08-18T10:22:00Z") from exc


def _check_path(tool: str, key: str, value: str) -> None:
    if key in ("sources", "source") and (value.startswith(("/", "~")) or ".." in value.split("/")):
        raise InvalidToolInput(f"{tool}: {key} {value!r} leaves the sources; use the names that logs_list gives")
