"""zpool status, btrfs usage, lvs, /proc/mdstat, mdadm, smartctl, swapon: the health of disks and pools."""

import re
from typing import Any, Final

from analysis.captures.columns import aligned
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, size
from domain.facts import Fact

_POOL: Final = re.compile(r"^\s*pool: (\S+)")
_STATE: Final = re.compile(r"^\s*state: (\S+)")
_ERRORS: Final = re.compile(r"^errors: (.*)$")
_ARRAY: Final = re.compile(r"^(md\d+) : (\w+)(?: \(([\w-]+)\))? (\S+) (.*)$")
_MEMBERS: Final = re.compile(r"\[(\d+)/(\d+)\] \[([U_]+)\]")
_SMART: Final = re.compile(r"(?:SMART overall-health self-assessment test result|SMART Health Status): (\w+)")
_ATTRIBUTE: Final = re.compile(
    r"^\s*\d+ (Reallocated_Sector_Ct|Current_Pending_Sector|"
    r"Offline_Uncorrectable|Wear_Leveling_Count|UDMA_CRC_Error_Count)\s.*\s(\d+)\s*$"
)
_SPACES: Final = {"Data%": "data", "Meta%": "metadata"}  # titles of lvs
_BTRFS: Final = re.compile(r"(?i)^\s*Metadata,\s*\w+: (?:size|total)[:=]\s*([\d.]+\w*),\s*used[:=]\s*([\d.]+\w*)")
_UNALLOCATED: Final = re.compile(r"^\s*Device unallocated:\s+([\d.]+\w*)")
_SWAP: Final = re.compile(r"^(/\S+)\s+(partition|file)\s+(\S+)\s+(\S+)\s+(-?\d+)$")


def parse_zpool(text: str, context: Context) -> list[Fact]:
    """Pools with their state; the errors line where there are any."""
    facts: list[Fact] = []
    name = ""
    for line in context.lines(text):
        if match := _POOL.match(line.text):
            name = match[1]
        elif (name and (match := _STATE.match(line.text))) or (
            name and (match := _ERRORS.match(line.text)) and match[1] != "No known data errors"
        ):
            facts.append(_pool(name, match[1], line, context))
    return facts


def _pool(name: str, state: str, line: Line, context: Context) -> Fact:
    bad = None if state == "ONLINE" else state
    return context.fact("disk", safe_entity("disk", name), line, device=name, model="zpool", errors=bad)


def parse_btrfs(text: str, context: Context) -> list[Fact]:
    """btrfs filesystem usage, df: the used share of the metadata, and what is left for new chunks (idle, bytes)."""
    lines = list(context.lines(text))
    free = next((match for line in lines if (match := _UNALLOCATED.match(line.text))), None)
    place = next((word for word in context.command.words if word.startswith("/")), "btrfs")
    for line in lines:
        match = _BTRFS.match(line.text)
        total, used = (size(match[1]), size(match[2])) if match else (None, None)
        if total and used is not None:
            share = round(100 * used / total, 1)
            told = {"size": total, "used_percent": share, "idle": size(free[1]) if free else None}
            return [context.fact("pool", safe_entity("disk", place), line, name="btrfs metadata", **told)]
    return []


def parse_lvs(text: str, context: Context) -> list[Fact]:
    """lvs: thin pools, each with the used share of its data and of its metadata space."""
    facts: list[Fact] = []
    for row in aligned(context.lines(text), wide=False):
        name, shares = row.cells.get("LV", "").strip("[]"), [row.cells.get(title, "") for title in _SPACES]
        own, pool = (number(share) for share in shares), row.cells.get("Pool", "")
        if name and not pool and row.cells.get("Meta%"):
            for what, used in zip(_SPACES.values(), own, strict=True):
                told = f"{what} space of the thin pool {name}"
                facts.append(context.fact("pool", safe_entity("volume", name), row.line, name=told, used_percent=used))
    return facts


def parse_mdstat(text: str, context: Context) -> list[Fact]:
    """Arrays, and how many of their members are there."""
    facts: list[Fact] = []
    name, read_only = "", False
    for line in context.lines(text):
        if match := _ARRAY.match(line.text):
            name, read_only = match[1], match[3] == "read-only"
        elif name and (match := _MEMBERS.search(line.text)):
            errors = None if "_" not in match[3] else f"degraded: {match[2]} of {match[1]} members"
            facts.append(
                context.fact(
                    "disk",
                    safe_entity("disk", name),
                    line,
                    device=name,
                    model="raid",
                    errors=errors,
                    read_only=read_only,
                )
            )
            name = ""
    return facts


def parse_smart(text: str, context: Context) -> list[Fact]:
    """smartctl: the verdict, and the counters that tell of a dying disk."""
    device = next((word for word in context.command.words if word.startswith("/dev/")), "disk").rpartition("/")[2]
    facts = []
    for line in context.lines(text):
        told: dict[str, Any] = {}
        if match := _SMART.search(line.text):
            told = {"errors": None if match[1] in ("PASSED", "OK") else f"SMART {match[1]}"}
        elif (match := _ATTRIBUTE.match(line.text)) and int(match[2]):
            told = {"errors": f"{match[1]} {match[2]}"}
        if told:
            facts.append(context.fact("disk", safe_entity("disk", device), line, device=device, **told))
    return facts


def parse_swap(text: str, context: Context) -> list[Fact]:
    """swapon -s, /proc/swaps."""
    return [
        context.fact("memory", context.host, line, swap_total=_amount(match[3]), swap_used=_amount(match[4]))
        for line in context.lines(text)
        if (match := _SWAP.match(line.text))
    ]


def _amount(text: str) -> int | None:
    plain = number(text)
    return size(text) if plain is None else int(plain) * 1024


PARSERS: Final = (
    Parser("zpool", parse_zpool, ("zpool status", "zpool"), looks=re.compile(r"\A\s*pool: \S+\n\s*state: ")),
    Parser(
        "btrfs",
        parse_btrfs,
        ("btrfs filesystem usage", "btrfs filesystem df", "btrfs fi usage", "btrfs fi df", "btrfs fi us"),
        looks=re.compile(r"^Metadata,\s*\w+: (?:Size|total)", re.MULTILINE),
    ),
    Parser("lvs", parse_lvs, ("lvs",), looks=re.compile(r"\A\s*LV\s+.*\bData%")),
    Parser("mdstat", parse_mdstat, files=("/proc/mdstat",), looks=re.compile(r"\APersonalities :")),
    Parser("smartctl", parse_smart, ("smartctl",), looks=re.compile(r"\Asmartctl \d")),
    Parser(
        "swap",
        parse_swap,
        ("swapon",),
        ("/proc/swaps",),
        re.compile(r"\A(?:Filename|NAME)\s+(?:Type|TYPE)\s+(?:Size|SIZE)"),
    ),
)
