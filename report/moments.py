"""Times as a person on call reads them: UTC, short, with their distance from the alert."""

from datetime import UTC, datetime

MINUTE, HOUR, DAY = 60, 3600, 86400


def clock(moment: datetime, beside: datetime) -> str:
    """`10:16`, with seconds where there are some, and with the day where it is not the day of `beside`."""
    moment, beside = moment.astimezone(UTC), beside.astimezone(UTC)
    time = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    return time if moment.date() == beside.date() else f"{moment:%Y-%m-%d} {time}"


def span(seconds: float) -> str:
    """A duration in its one or two largest units: `45 s`, `6 min`, `2 h 5 min`, `3 d 4 h`."""
    whole = round(abs(seconds))
    for size, unit, below, smaller in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min")):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{round(whole / MINUTE)} min" if whole >= 2 * MINUTE else f"{whole} s"


def offset(moment: datetime, beside: datetime) -> str:
    """The signed distance: `-6 min`, `+45 s`, `0`."""
    seconds = (moment - beside).total_seconds()
    if abs(seconds) < 1:
        return "0"
    return ("-" if seconds < 0 else "+") + span(seconds)
