"""free, /proc/meminfo, swapon: the memory of a machine."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import number, size
from domain.facts import Fact

_UNIT: Final = {
    "-b": 1,
    "-k": 1 << 10,
    "-m": 1 << 20,
    "-g": 1 << 30,
    "--bytes": 1,
    "--mega": 10**6,
    "--giga": 10**9,
    "--mebi": 1 << 20,
}
_COLUMNS: Final = ("total", "used", "free", "shared", "cache", "available")
_OLD: Final = ("total", "used", "free", "shared", "buffers", "cached")
_MEMINFO: Final = {
    "MemTotal": "total", "MemFree": "free", "MemAvailable": "available", "Cached": "cache", "Shmem": "shared",
    "SwapTotal": "swap_total", "SwapFree": "swap_free",
}  # fmt: skip
_PAIR: Final = re.compile(r"(\w+)(?:\([\w]+\))?:\s+(\d+) kB")


def parse(text: str, context: Context) -> list[Fact]:
    """The Mem: line, with the swap of the line below."""
    unit = next((_UNIT[word] for word in context.command.words if word in _UNIT), 1 << 10)
    titles: tuple[str, ...] = _OLD if re.search(r"buffers\s+cached", text) else _COLUMNS
    memory: Line | None = None
    told: dict[str, Any] = {}
    for line in context.lines(text):
        words = line.text.split()
        if words[:1] == ["Mem:"]:
            memory = line
            told |= dict(zip(titles, (_amount(word, unit) for word in words[1:]), strict=False))
        elif words[:1] == ["Swap:"] and len(words) >= 4:
            told |= dict(
                zip(("swap_total", "swap_used", "swap_free"), (_amount(w, unit) for w in words[1:4]), strict=True)
            )
            memory = memory or line
    told.pop("buffers", None)
    told["cache"] = told.pop("cached", told.get("cache"))
    return [] if memory is None else [context.fact("memory", context.place, memory, **_with_share(told))]


def parse_meminfo(text: str, context: Context) -> list[Fact]:
    """/proc/meminfo; the quote is its line of what is available."""
    told: dict[str, Any] = {}
    found: Line | None = None
    for line in context.lines(text):
        if (match := _PAIR.match(line.text)) and match[1] in _MEMINFO:
            told[_MEMINFO[match[1]]] = int(match[2]) * 1024
            found = line if found is None or match[1] == "MemAvailable" else found
    if "swap_total" in told and "swap_free" in told:
        told["swap_used"] = told["swap_total"] - told["swap_free"]
    return [] if found is None else [context.fact("memory", context.place, found, **_with_share(told))]


def _amount(word: str, unit: int) -> int | None:
    plain = number(word)
    return size(word) if plain is None else round(plain * unit)


def _with_share(told: dict[str, Any]) -> dict[str, Any]:
    if told.get("total") and told.get("available") is not None:
        told["available_percent"] = round(100 * told["available"] / told["total"], 1)
    return told


PARSERS: Final = (
    Parser("free", parse, ("free",), looks=re.compile(r"\A\s*total\s+used\s+free\s+shared|\AMem:\s+\d")),
    Parser("/proc/meminfo", parse_meminfo, files=("/proc/meminfo",), looks=re.compile(r"\AMemTotal:\s+\d+ kB")),
)  # fmt: skip
