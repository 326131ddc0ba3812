"""The timestamp formats of log lines: each a pattern at the line's head and a function that reads it."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from analysis.lines.stamp_values import EPOCH, FIRST_YEAR, LAST_YEAR, epoch_time, in_zone, latest, local

Parser = Callable[[str, datetime], "datetime | None"]
"""(line, limit) -> time, aware if the line names its zone; `limit` is now + 1 day, local, for stamps without a year."""


_MONTHS = {"janfebmaraprmayjunjulaugsepoctnovdec"[3 * i : 3 * i + 3]: i + 1 for i in range(12)}
_LEAD = r"^[\[(<\"'| ]{0,4}(?:<\d{1,3}>\d?\s?)?"
_TIME = r"(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
_ZONE = r"(?:\s?(Z\b|[+-]\d\d:?\d\d\b|[A-Z]{3,4}(?=[\s\])]|$)))?"
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"

_ISO_BODY = r"(\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)" + _ZONE
_SLASH_BODY = r"(\d{4}|\d\d)/(\d\d)/(\d\d) " + _TIME + _ZONE
_DAY_FIRST_BODY = r"(\d{1,2})[ -/]" + _MONTH + r"[ -/](\d{4})[ :]" + _TIME + _ZONE

_ISO = re.compile(_LEAD + _ISO_BODY)
_SLASH = re.compile(_LEAD + _SLASH_BODY)
_DAY_FIRST = re.compile(_LEAD + r"(?:\d+:[XCSM] |\[\d+\] )?(?:" + _DAY + ", )?" + _DAY_FIRST_BODY)
_ACCESS = re.compile(r"^[^\[\n]{1,200}\[(\d{1,2})/" + _MONTH + r"/(\d{4}):" + _TIME + _ZONE + r"\]")
_KLOG = re.compile(r"^[IWEFD](\d\d)(\d\d) " + _TIME)
_SYSLOG = re.compile(_LEAD + _MONTH + r" {1,2}(\d{1,2})(?: (\d{4}),?)? " + _TIME)
_CTIME = re.compile(
    _LEAD + _DAY + r"[ ,]+" + _MONTH + r" {1,2}(\d{1,2}) " + _TIME + r"(?: ([A-Z]{3,4}|[+-]\d{4}))? (\d{4})\b"
)
_MONTH_DAY = re.compile(r"^\[?(\d\d)[-.](\d\d) " + _TIME)
_SHORT = re.compile(r"^(\d\d)(\d\d)(\d\d) {1,2}(\d{1,2}):?(\d\d):?(\d\d)\b")
_COMPACT = re.compile(_LEAD + r"(\d{4})(\d\d)(\d\d)[T -](\d\d):?(\d\d):?(\d\d)(?:[.,:](\d{1,9}))?" + _ZONE)
_EPOCH = re.compile(r"^[\[(\"-]?\s?(\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19})(?![\w.-])")
_TIME_ONLY = re.compile(r"^(?:\[?|[\w.-]{1,40} +(?=\S+[.,]))" + _TIME + r"(?=[\s\]|]|$)")
_REDIS = re.compile(r"^\d+:[XCSM] (\d{1,2}) " + _MONTH + " " + _TIME)
_AUDIT = re.compile(r"^(?:node=\S+ )?type=\S+ msg=audit\((\d{10}\.\d{3}):")
_JSON = re.compile(
    r'"(?:ts|time|timestamp|@timestamp|t|datetime|asctime|date|timeMillis|eventTime|event_time|log_time|Timestamp|Time'
    r'|__REALTIME_TIMESTAMP|timeUnixNano|start_time|\$date)"\s*:\s*(?:\{\s*"\$date"\s*:\s*)?(?:"([^"\\]{8,40})"|(\d{9,19}(?:\.\d{1,9})?(?![\d.eE])|\d\.\d{1,18}[eE]\+?\d{1,2}))'
)
_LOGFMT = re.compile(r'(?:^|\s)(?:ts|time|timestamp|t|@timestamp|datetime)=(?:"([^"]{8,40})"|([^\s"]{8,40}))')
_WITHIN = re.compile(rf"(?<![\w./-])(?:(?:{_ISO_BODY})|(?:{_SLASH_BODY})|(?:{_DAY_FIRST_BODY}))")
_ZONED = re.compile(
    r"(?<![\w./-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s?(?:Z\b|[+-]\d\d:?\d\d\b|UTC\b|GMT\b)"
)
_PROSE = re.compile(
    r"(?:^|\W)(?:on|at|until|till|since|before|after|from|to|by|for|notafter|notbefore|expires?|expired?|expiry)\W*$",
    re.IGNORECASE,
)
_HEAD = 100  # characters in which a stamp that is not the first thing still counts as the line's own


def iso(line: str, _limit: datetime) -> datetime | None:
    """2026-08-18T10:15:58.123Z, 2026-08-18 10:15:58,123, with or without a zone."""
    match = _ISO.match(line)
    return _iso_of(match[1], match[2]) if match else None


def slash(line: str, _limit: datetime) -> datetime | None:
    """2026/08/18 10:15:58 of nginx and Go, 26/08/18 10:15:58 of Spark."""
    match = _SLASH.match(line)
    if not match:
        return None
    year, month, day, *clock, zone = match.groups()
    return local(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day), clock, zone)


def day_first(line: str, _limit: datetime) -> datetime | None:
    """18-Aug-2026 10:15:58.123 of Java, 18 Aug 2026 10:15:58 of Redis and mail."""
    return _day_first_of(_DAY_FIRST.match(line))


def access(line: str, _limit: datetime) -> datetime | None:
    """[18/Aug/2026:10:15:58 +0000] of access logs, after the client's name."""
    return _day_first_of(_ACCESS.match(line))


def klog(line: str, limit: datetime) -> datetime | None:
    """I0818 10:15:58.123456, without a year."""
    match = _KLOG.match(line)
    return latest(int(match[1]), int(match[2]), match.groups()[2:6], limit) if match else None


def syslog(line: str, limit: datetime) -> datetime | None:
    """Aug 18 10:15:58, with a year in Cisco's form."""
    match = _SYSLOG.match(line)
    if not match:
        return None
    month, day, year, *clock = match.groups()
    if year:
        return local(int(year), _MONTHS[month.lower()], int(day), clock, None)
    return latest(_MONTHS[month.lower()], int(day), clock, limit)


def ctime(line: str, _limit: datetime) -> datetime | None:
    """Tue Aug 18 10:15:58.123 2026 of Apache errors and dmesg -T."""
    match = _CTIME.match(line)
    if not match:
        return None
    month, day, hour, minute, second, fraction, zone, year = match.groups()
    return local(int(year), _MONTHS[month.lower()], int(day), (hour, minute, second, fraction), zone)


def month_day(line: str, limit: datetime) -> datetime | None:
    """08-18 10:15:58.123 of Android, without a year."""
    match = _MONTH_DAY.match(line)
    return latest(int(match[1]), int(match[2]), match.groups()[2:], limit) if match else None


def short(line: str, _limit: datetime) -> datetime | None:
    """260818 10:15:58 of older MySQL and 260818 101558 of HDFS."""
    match = _SHORT.match(line)
    if not match:
        return None
    year, month, day, *clock = match.groups()
    return local(2000 + int(year), int(month), int(day), [*clock, None], None)


def compact(line: str, _limit: datetime) -> datetime | None:
    """20260818T101558Z and 20260818-10:15:58:123."""
    match = _COMPACT.match(line)
    if not match:
        return None
    year, month, day, *clock, zone = match.groups()
    return local(int(year), int(month), int(day), clock, zone)


def redis(line: str, limit: datetime) -> datetime | None:
    """1:M 18 Aug 10:15:58.123 of Redis before version 4, without a year."""
    match = _REDIS.match(line)
    return latest(_MONTHS[match[2].lower()], int(match[1]), match.groups()[2:], limit) if match else None


def time_only(line: str, limit: datetime) -> datetime | None:
    """10:15:58.123 without a date: the latest such time that is not after now."""
    match = _TIME_ONLY.match(line)
    if not match:
        return None
    now = limit - timedelta(days=1)
    time = local(now.year, now.month, now.day, match.groups(), None)
    return time - timedelta(days=1) if time is not None and time > now else time


def epoch(line: str, _limit: datetime) -> datetime | None:
    """1787048158.123 at the head, the unit told by magnitude."""
    match = _EPOCH.match(line) or _AUDIT.match(line)
    return epoch_time(match[1]) if match else None


def json_line(line: str, limit: datetime) -> datetime | None:
    """The time field of a JSON line, by the names that loggers use."""
    for match in _JSON.finditer(line):
        found = value(match[1], limit) if match[1] else epoch_time(match[2])
        if found is not None:
            return found
    return None


def logfmt(line: str, limit: datetime) -> datetime | None:
    """ts= or time= of a logfmt line."""
    match = _LOGFMT.search(line)
    return value(match[1] or match[2], limit) if match else None


def within(line: str, _limit: datetime) -> datetime | None:
    """A stamp that a level or a name precedes, unless the words before it make it part of the message."""
    match = _WITHIN.search(line, 0, _HEAD + 40)
    if not match or match.start() > _HEAD or _PROSE.search(line[: match.start()]):
        return None
    groups = match.groups()
    if groups[0]:
        return _iso_of(groups[0], groups[1])
    if groups[2]:
        return slash(match[0], _limit)
    return day_first(match[0], _limit)


def value(text: str, limit: datetime) -> datetime | None:
    """The time that a single value states."""
    if text[:10].isdigit():
        found = epoch(text, limit)
        if found is not None:
            return found
    return first_of(_VALUES, text, limit)


def first_of(parsers: Iterable[Parser], line: str, limit: datetime) -> datetime | None:
    """What the first parser that knows the line says."""
    for parser in parsers:
        found = parser(line, limit)
        if found is not None:
            return found
    return None


def zoned_times(line: str) -> list[datetime]:
    """Every time in the line that names its zone: what can prove the offset of one that does not."""
    if ":" not in line:
        return []
    found = (iso(match[0], EPOCH) for match in _ZONED.finditer(line))
    return [time for time in found if time is not None and time.tzinfo is not None]


def _iso_of(body: str, zone: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(body)
    except ValueError:
        return None
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        return None
    return time if zone is None else in_zone(time, zone)


def _day_first_of(match: re.Match[str] | None) -> datetime | None:
    if not match:
        return None
    day, month, year, *clock, zone = match.groups()
    return local(int(year), _MONTHS[month.lower()], int(day), clock, zone)


_VALUES: tuple[Parser, ...] = (iso, slash, ctime, day_first, access, syslog, compact, short)
_DIGIT: tuple[Parser, ...] = (iso, slash, access, day_first, epoch, compact, month_day, short, logfmt, redis, time_only)
_LETTER: tuple[Parser, ...] = (klog, syslog, ctime, day_first, logfmt, access, epoch, time_only)
_OTHER: tuple[Parser, ...] = (
    iso,
    slash,
    ctime,
    day_first,
    epoch,
    syslog,
    compact,
    month_day,
    access,
    logfmt,
    time_only,
)


def anchored(line: str) -> tuple[Parser, ...]:
    """The formats that a line with such a first character can have."""
    first = line[:1]
    if first.isdigit():
        return _DIGIT
    if first == "{":
        return (json_line,)
    return _LETTER if first.isalpha() else _OTHER
