"""Builds a time from the parts of a stamp: fields, epochs, zones and missing years."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 1980, 2199  # outside lie zero times (0001-01-01) and "for ever" (9999-12-31)

_FIXED_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "JST": 540,
    "KST": 540, "EST": -300, "EDT": -240, "PST": -480, "PDT": -420, "MDT": -360, "CDT": -300, "AEST": 600, "AEDT": 660,
}  # fmt: skip


def epoch_time(text: str) -> datetime | None:
    """Seconds, milli-, micro- or nanoseconds since 1970, told apart by their size."""
    if "e" in text or "E" in text:
        text = f"{float(text):.6f}"
    whole, _, fraction = text.partition(".")
    number = int(whole)
    if number < 10**11:
        micros = number * 10**6 + (int((fraction + "000000")[:6]) if fraction else 0)
    elif number < 10**14:
        micros = number * 1000
    elif number < 10**17:
        micros = number
    else:
        micros = number // 1000
    if not 10**8 * 10**6 <= micros < 7 * 10**15:
        return None
    return EPOCH + timedelta(microseconds=micros)


def local(year: int, month: int, day: int, clock: Iterable[str | None], zone: str | None) -> datetime | None:
    """The time of these fields, or None where there is no such day or hour."""
    hour, minute, second, fraction = clock
    time = _second(year, month, day, hour, minute, second)
    if time is None:
        return None
    if fraction:
        time = time.replace(microsecond=int((fraction + "000000")[:6]))
    return time if zone is None else in_zone(time, zone)


@lru_cache(maxsize=4096)
def _second(
    year: int, month: int, day: int, hour: str | None, minute: str | None, second: str | None
) -> datetime | None:
    """Neighbouring lines share their second, so most answers are remembered."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return datetime(year, month, day, int(hour or 0), int(minute or 0), int(second or 0))
    except ValueError:
        return None


def latest(month: int, day: int, clock: Iterable[str | None], limit: datetime) -> datetime | None:
    """The latest such time that is not after the limit; eight years reach any 29 February."""
    clock = tuple(clock)
    for year in range(limit.year, limit.year - 9, -1):
        time = local(year, month, day, clock, None)
        if time is not None and time <= limit:
            return time
    return None


def in_zone(time: datetime, zone: str) -> datetime:
    """The time made aware; an abbreviation that is used by several countries leaves it without a zone."""
    if zone[0] not in "+-":
        minutes = _FIXED_ZONES.get(zone)
        if minutes is None:
            return time
    else:
        digits = zone[1:].replace(":", "")
        minutes = int(digits[:2]) * 60 + int(digits[2:4])
        if minutes >= 24 * 60:
            return time
        minutes = -minutes if zone[0] == "-" else minutes
    return time.replace(tzinfo=UTC if minutes == 0 else timezone(timedelta(minutes=minutes)))
