"""timedatectl, chronyc, ntpq, date: what time a machine thinks it is."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import number, truth
from domain.facts import Fact

_KEYS: Final = {
    "System clock synchronized": "synchronized", "NTP synchronized": "synchronized", "Time zone": "timezone",
    "Local time": "local", "Universal time": "utc", "RTC time": "rtc", "NTP service": "ntp",
}  # fmt: skip
_CHRONY: Final = re.compile(r"System time\s+:\s+([\d.]+) seconds (fast|slow) of NTP time")
_SOURCE: Final = re.compile(r"^[\^=#]([*+x?~-])\s+(\S+)")
_NTPQ: Final = re.compile(r"^([*+#o x.-])?(\S+)\s+\S+\s+\d+\s+\w\s+\S+\s+\d+\s+\d+\s+[\d.]+\s+(-?[\d.]+)\s+[\d.]+")


def parse_timedatectl(text: str, context: Context) -> list[Fact]:
    """timedatectl, in one fact; the quote is the line on synchronisation."""
    told: dict[str, Any] = {}
    telling: Line | None = None
    for line in context.lines(text):
        key, _, value = (part.strip() for part in line.text.partition(":"))
        if key in _KEYS:
            name = _KEYS[key]
            told[name] = truth(value) if name == "synchronized" else value
            telling = line if telling is None or name == "synchronized" else telling
    return [] if telling is None else [context.fact("clock", context.place, telling, **told)]


def parse_chrony(text: str, context: Context) -> list[Fact]:
    """chronyc tracking and sources."""
    for line in context.lines(text):
        if match := _CHRONY.search(line.text):
            offset = float(match[1]) * (1 if match[2] == "fast" else -1)
            unsynced = "Not synchronised" in text
            return [context.fact("clock", context.place, line, offset_seconds=offset, synchronized=not unsynced)]
    rows = [(match, line) for line in context.lines(text) if (match := _SOURCE.match(line.text))]
    if not rows:
        return []
    chosen = next((line for match, line in rows if match[1] == "*"), None)
    return [context.fact("clock", context.place, chosen or rows[0][1], synchronized=chosen is not None)]


def parse_ntpq(text: str, context: Context) -> list[Fact]:
    """ntpq -p: the chosen peer's offset, which it prints in milliseconds."""
    rows = [(match, line) for line in context.lines(text) if (match := _NTPQ.match(line.text))]
    chosen = next(((match, line) for match, line in rows if match[1] == "*"), None)
    if not rows:
        return []
    match, line = chosen or rows[0]
    offset = number(match[3])
    seconds = None if offset is None else offset / 1000
    return [context.fact("clock", context.place, line, synchronized=chosen is not None, offset_seconds=seconds)]


def parse_date(text: str, context: Context) -> list[Fact]:
    """date: the machine's own time."""
    line = next((line for line in context.lines(text) if line.text.strip()), None)
    if line is None or not re.search(r"\d\d:\d\d|\d{10}|\d{4}-\d\d", line.text):
        return []
    zone = re.search(r"\b([A-Z]{3,4}|[+-]\d{4})\b(?: \d{4})?$", line.text.strip())
    name = "utc" if context.command.has("-u", "--utc") else "local"
    return [context.fact("clock", context.place, line, timezone=zone[1] if zone else None, **{name: line.text.strip()})]


PARSERS: Final = (
    Parser("timedatectl", parse_timedatectl, ("timedatectl",), looks=re.compile(r"^\s*Local time: ", re.MULTILINE)),
    Parser("chronyc", parse_chrony, ("chronyc",), looks=re.compile(r"^Reference ID\s+:", re.MULTILINE)),
    Parser("ntpq", parse_ntpq, ("ntpq", "ntpstat"), looks=re.compile(r"remote\s+refid\s+st t when poll")),
    Parser("date", parse_date, ("date", "hwclock")),
)
