"""Finds when a log line was written, in UTC, for the formats that programs use."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from math import isfinite
from zoneinfo import ZoneInfo

from analysis.lines import stamp_formats as formats
from analysis.lines.stamp_values import epoch_time
from analysis.text import strip_control

_MAYBE = re.compile(r"\d\d:?\d\d|\d{10}")
_QUARTER = 15 * 60  # seconds: every zone's offset is a whole number of these
_SLACK = 2  # seconds between two stamps of one line
_PROOFS = 500  # lines without a zone that are looked at for a proof
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?$")


@dataclass(frozen=True)
class Clock:
    """What a stamp is read against."""

    now: datetime
    "Aware UTC; in replay the end of the bundle's window."
    timezone: str = "UTC"
    "IANA name of the bundle, for stamps without a zone."
    zone: tzinfo = field(init=False, repr=False, compare=False)
    "The rules of `timezone`."

    def __post_init__(self) -> None:
        zone: tzinfo = UTC if self.timezone in ("UTC", "Etc/UTC", "Z", "") else ZoneInfo(self.timezone)
        object.__setattr__(self, "zone", zone)


def parse_line_time(line: str, clock: Clock, offset: timedelta | None = None) -> datetime | None:
    """The line's own time in UTC, or None; `offset` is what the source has proven for stamps without a zone."""
    if not _MAYBE.search(line):
        return None
    line = (strip_control(line) if "\x1b" in line else line).lstrip()
    limit = _limit(clock, offset)
    raw = formats.first_of(formats.anchored(line), line, limit)
    if raw is None and line[:1] != "{":
        raw = formats.within(line, limit)
    return None if raw is None else _utc(raw, clock, offset)


def engine_time(told: object) -> datetime | None:
    """An ISO time with its zone, as engines and clusters tell it; None for anything else."""
    try:
        time = datetime.fromisoformat(str(told).replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo else None


def parse_time(value: str | int | float, clock: Clock, offset: timedelta | None = None) -> datetime | None:
    """The time that a single value states: a JSON field, a CSV cell, an epoch in any unit."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _number(value)
    text = value.strip()
    if re.fullmatch(r"\d{9,19}(?:\.\d+)?", text):
        return epoch_time(text)
    if date := _DATE.match(text):
        text = f"{date[1]} {date[2] or '00:00'}:00"
    raw = formats.value(text, _limit(clock, offset)) if text else None
    return None if raw is None else _utc(raw, clock, offset)


def format_time(time: datetime) -> str:
    """RFC 3339 in UTC with Z; milliseconds only where there are any."""
    time = time.astimezone(UTC)
    precision = "milliseconds" if time.microsecond >= 1000 else "seconds"
    return time.isoformat(timespec=precision)[:-6] + "Z"


def proven_offset(lines: list[str], clock: Clock) -> timedelta | None:
    """The offset of a source's zone-less stamps, where one of these lines shows the same instant with a zone."""
    source = LineClock(clock)
    for line in lines:
        source.stamp(line)
    return source.offset


class LineClock:
    """Stamps the lines of one source in their order; a line without a stamp has the time of the line before."""

    def __init__(self, clock: Clock, offset: timedelta | None = None) -> None:
        self.offset = offset
        self._clock = clock
        self._limit = _limit(clock, offset)
        self._parser: formats.Parser | None = None
        self._time: datetime | None = None
        self._proofs_left = 0 if offset is not None else _PROOFS

    def stamp(self, line: str) -> datetime | None:
        """The time of the next line, in UTC."""
        if "\x1b" in line:
            line = strip_control(line)
        raw = self._parser(line, self._limit) if self._parser is not None else None
        if raw is None:
            raw = self._search(line)
            if raw is None:
                return self._time
        if raw.tzinfo is UTC:
            self._time = raw
        else:
            if raw.tzinfo is None and self._proofs_left:
                self._prove(line, raw)
            self._time = _utc(raw, self._clock, self.offset)
        return self._time

    def _search(self, line: str) -> datetime | None:
        """Tries the other formats; once a source is known to start its lines with a stamp, only such count."""
        settled = self._parser is not None and self._parser is not formats.within
        if not line or (settled and line[0] in " \t") or not _MAYBE.search(line, 0, 400):
            return None
        line = line.lstrip()
        for parser in formats.anchored(line):
            raw = parser(line, self._limit)
            if raw is not None:
                self._parser = parser
                return raw
        if settled or line[0] == "{":
            return None
        raw = formats.within(line, self._limit)
        if raw is not None:
            self._parser = formats.within
        return raw

    def _prove(self, line: str, raw: datetime) -> None:
        """Takes the offset from a zoned stamp in the same line that is the same instant but for quarter hours."""
        self._proofs_left -= 1
        for other in formats.zoned_times(line):
            if other.minute % 15 == 0 and other.second == 0:
                continue  # a scheduled time, equal by chance
            seconds = (raw - other.astimezone(UTC).replace(tzinfo=None)).total_seconds()
            quarters = round(seconds / _QUARTER)
            if abs(seconds - quarters * _QUARTER) <= _SLACK and -12 * 4 <= quarters <= 14 * 4:
                self.offset = timedelta(seconds=quarters * _QUARTER)
                self._limit = _limit(self._clock, self.offset)
                self._proofs_left = 0
                return


def _utc(raw: datetime, clock: Clock, offset: timedelta | None) -> datetime:
    if raw.tzinfo is not None:
        return raw.astimezone(UTC)
    if offset is not None:
        return (raw - offset).replace(tzinfo=UTC)
    if clock.zone is UTC:
        return raw.replace(tzinfo=UTC)
    return raw.replace(tzinfo=clock.zone).astimezone(UTC)


@lru_cache(maxsize=64)
def _limit(clock: Clock, offset: timedelta | None) -> datetime:
    """Now and a day as the source's local time: the latest that a stamp without a year can mean."""
    zone = clock.zone if offset is None else timezone(offset)
    return (clock.now + timedelta(days=1)).astimezone(zone).replace(tzinfo=None)


def _number(value: int | float) -> datetime | None:
    if not isfinite(value) or not 0 < value < 10**20:
        return None
    return epoch_time(str(value) if isinstance(value, int) else f"{value:.6f}")
