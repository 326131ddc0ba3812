"""incident.yaml: what the recorder says of an incident, read and checked once."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from analysis.lines.timestamps import Clock, format_time, parse_time
from analysis.text import clip, decode, strip_control
from domain.alert import Window
from domain.errors import BadBundle
from domain.evidence import Gap

FILE = "incident.yaml"
SCHEMA = "fishbone/bundle@1"
_BEFORE, _AFTER = timedelta(hours=1), timedelta(minutes=5)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Span(BaseModel):
    start: Any = None
    end: Any = None


class _Settings(BaseModel):
    """The file as it is written; unknown keys are kept out of sight."""

    model_config = ConfigDict(coerce_numbers_to_str=True, extra="allow")

    schema_: str | None = None
    id: str | None = None
    title: str | None = None
    fired_at: Any = None
    window: _Span | None = None
    timezone: str | None = None
    notes: str | None = None


@dataclass(frozen=True)
class Manifest:
    """incident.yaml in our words."""

    id: str
    title: str
    fired_at: datetime
    window: Window
    timezone: str
    notes: str
    gaps: tuple[Gap, ...]


def read_manifest(raw: bytes, folder: str) -> Manifest:
    """The manifest of a bundle whose folder has this name. Raises BadBundle with file, place and mend."""
    settings = _settings(_yaml(raw))
    gaps: list[Gap] = []
    zone = _zone(settings.timezone, gaps)
    if settings.fired_at is None:
        raise BadBundle(f"{FILE}: fired_at: missing; write when the alert fired, such as 2026-01-31T12:00:00Z")
    fired_at = _moment("fired_at", settings.fired_at, zone, gaps)
    window = _window(settings.window or _Span(), fired_at, zone, gaps)
    name = _words(settings.id or "", 200)
    if not name:
        name = _words(folder, 200) or "incident"
        gaps.append(Gap(f"{FILE}: id", "missing; the folder's name stands for it"))
    if settings.schema_ not in (None, SCHEMA):
        gaps.append(Gap(f"{FILE}: schema", f"{_words(settings.schema_ or '', 60)!r} is not known; read as {SCHEMA}"))
    return Manifest(
        id=name, title=_words(settings.title or name, 300), fired_at=fired_at, window=window, timezone=str(zone),
        notes=strip_control(settings.notes or "").strip(), gaps=tuple(gaps),
    )  # fmt: skip


def _yaml(raw: bytes) -> dict[str, Any]:
    try:
        found = yaml.safe_load(decode(raw))
    except yaml.MarkedYAMLError as exc:
        line = exc.problem_mark.line + 1 if exc.problem_mark else 1
        raise BadBundle(f"{FILE}:{line}: broken YAML: {exc.problem}; mend that line") from exc
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        raise BadBundle(f"{FILE}:1: broken YAML: {clip(_words(str(exc), 200), 200)}; write it as plain UTF-8") from exc
    if not isinstance(found, dict):
        raise BadBundle(f"{FILE}:1: empty or no mapping; write keys such as id, title, fired_at, window")
    return {"schema_" if key == "schema" else str(key): value for key, value in found.items()}


def _settings(found: dict[str, Any]) -> _Settings:
    try:
        return _Settings.model_validate(found)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join("schema" if step == "schema_" else str(step) for step in first["loc"])
        raise BadBundle(f"{FILE}: {place}: {first['msg']}; mend that key") from exc


def _zone(name: str | None, gaps: list[Gap]) -> ZoneInfo:
    if not name:
        gaps.append(Gap(f"{FILE}: timezone", "missing; stamps without a zone are read as UTC"))
        return ZoneInfo("UTC")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as exc:
        raise BadBundle(
            f"{FILE}: timezone: {_words(name, 60)!r} is no IANA name; write one such as Europe/Berlin or UTC"
        ) from exc


def _window(span: _Span, fired_at: datetime, zone: ZoneInfo, gaps: list[Gap]) -> Window:
    start = None if span.start is None else _moment("window.start", span.start, zone, gaps)
    end = None if span.end is None else _moment("window.end", span.end, zone, gaps)
    if start is None or end is None:
        start, end = start or min(fired_at, end or fired_at) - _BEFORE, end or max(fired_at, start or fired_at) + _AFTER
        seen = f"{format_time(start)} to {format_time(end)}"
        gaps.append(Gap(f"{FILE}: window", f"not given in full; taken from fired_at: {seen}"))
    if start > end:
        raise BadBundle(f"{FILE}: window: start {format_time(start)} is after end {format_time(end)}; swap them")
    if not start <= fired_at <= end:
        gaps.append(Gap(f"{FILE}: window", f"fired_at {format_time(fired_at)} lies outside of it"))
    return Window(start, end)


def _moment(place: str, value: object, zone: ZoneInfo, gaps: list[Gap]) -> datetime:
    time = value if isinstance(value, datetime) else _written(value, zone)
    if time is None:
        raise BadBundle(f"{FILE}: {place}: {_words(str(value), 60)!r} is no time; write it as 2026-01-31T12:00:00Z")
    if time.tzinfo is None:
        gaps.append(Gap(f"{FILE}: {place}", f"has no zone; read as {zone}"))
        time = time.replace(tzinfo=zone)
    try:
        return time.astimezone(UTC)
    except OverflowError as exc:
        raise BadBundle(f"{FILE}: {place}: {value} is out of range; write a real time") from exc


def _written(value: object, zone: ZoneInfo) -> datetime | None:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            pass
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return parse_time(value, Clock(_EPOCH, str(zone)))


def _words(text: str, limit: int) -> str:
    return clip(" ".join(strip_control(text).split()), limit)
