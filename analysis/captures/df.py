"""df, du, mount, findmnt, lsblk, /proc/mounts: file systems and what fills them."""

import re
from typing import Any, Final

from analysis.captures.columns import aligned, worded
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, percent, size
from domain.facts import Fact

_DF_ROW: Final = re.compile(
    r"(?P<device>\S.*?)\s+(?:(?P<type>[a-z][\w.-]*)\s+)?(?P<size>[\d.,]+[KMGTP]?i?B?|"
    r"-)\s+(?P<used>[\d.,]+[KMGTP]?i?B?|-)"
    r"\s+(?P<available>-?[\d.,]+[KMGTP]?i?B?|-)\s+(?P<share>\d+%|-)\s+(?P<mount>/.*)$"
)
_BLOCKS: Final = re.compile(r"(\d+)([KM]?)-blocks")
_MOUNT: Final = re.compile(r"(?P<device>\S+) on (?P<mount>\S+) type (?P<type>\S+) \((?P<options>[^)]*)\)")
_PROC: Final = re.compile(r"(?P<device>\S+) (?P<mount>/\S*) (?P<type>[a-z][\w.-]*) (?P<options>(?:rw|ro)\S*) \d+ \d+$")
_COLUMNS: Final = {"TARGET": "mount", "SOURCE": "device", "FSTYPE": "type", "OPTIONS": "options"}
_DU_TOTAL: Final = re.compile(r"([\d.]+[KMGTP])\s+total")
_DU_ASKED: Final = re.compile(r"\bdu\s+(?:-\S+\s+)*(/\S+)(?!\S|\s+/)")
_DU: Final = re.compile(r"([\d.]+[KMGTP]?)\s+(\S.*)")


def parse(text: str, context: Context) -> list[Fact]:
    """File systems with their space, or their inodes where df -i was asked."""
    header = text.lstrip().split("\n", 1)[0]
    unit = int(match[1]) * {"": 1, "K": 1024, "M": 1 << 20}[match[2]] if (match := _BLOCKS.search(header)) else 1024
    inodes = "Inodes" in header or context.command.has("-i", "-ih", "-hi")
    return [
        _filesystem(match.groupdict(), line, context, inodes, unit)
        for line in context.lines(text)
        if (match := _DF_ROW.match(line.text.strip()))
    ]


def _filesystem(cells: dict[str, Any], line: Line, context: Context, inodes: bool, unit: int) -> Fact:
    total, used, free = (_amount(cells[name], 1 if inodes else unit, inodes) for name in ("size", "used", "available"))
    share = percent(cells["share"])
    counts: dict[str, Any] = {"size": total, "used": used, "available": free, "use_percent": share}
    if inodes:
        counts = {"inodes": total, "inodes_used": used, "inodes_use_percent": share}
    return context.fact(
        "filesystem",
        _disk(cells["mount"], context),
        line,
        mount=cells["mount"],
        device=cells["device"],
        type=cells["type"],
        **counts,
    )


def _amount(text: str, unit: int, inodes: bool) -> int | None:
    """A bare number counts blocks; one with a letter is a size, or with -ih a short count."""
    plain = number(text)
    if plain is not None:
        return round(plain * unit)
    bare = re.fullmatch(r"[\d.]+[KMGT]", text) is not None
    return size(text, letters="decimal" if inodes and bare else "binary")


def _disk(mount: str, context: Context) -> str:
    """The disk on a machine; inside a container it is the container that has the mount."""
    return context.command.inside or safe_entity("disk", mount)


def parse_du(text: str, context: Context) -> list[Fact]:
    """What each folder holds."""
    unit = 1 if context.command.has("-b", "-sb") else 1024
    facts = []
    for line in context.lines(text):
        if match := _DU.fullmatch(line.text.strip()):
            plain = number(match[1])
            total = size(match[1]) if plain is None or match[1] == "0" else round(plain * unit)
            facts.append(context.fact("directory", _disk(match[2], context), line, path=match[2], size=total))
    return facts


def parse_du_total(text: str, context: Context) -> list[Fact]:
    """`du -c FILES | tail -1`: what all that was asked for holds together."""
    asked = _DU_ASKED.search(context.command.line)
    totals = [(line, match[1]) for line in context.lines(text) if (match := _DU_TOTAL.fullmatch(line.text.strip()))]
    if asked is None or len(totals) != 1:
        return []
    line, held = totals[0]
    return [context.fact("directory", _disk(asked[1], context), line, path=asked[1], size=size(held))]


def parse_mount(text: str, context: Context) -> list[Fact]:
    """What is mounted where, and whether it can be written."""
    facts = []
    titles = _titles(text, context)
    for line in context.lines(text):
        match = _MOUNT.search(line.text) or _PROC.search(line.text)
        cells = match.groupdict() if match else _chosen(line.text, titles) if titles else _findmnt(line.text)
        if cells:
            told = str(cells.pop("options", "") or "")
            options, read_only = (told.split(","), "ro" in told.split(",")) if told else (None, None)
            of = _disk(str(cells["mount"]), context)
            facts.append(context.fact("filesystem", of, line, options=options, read_only=read_only, **cells))
    return facts


def _titles(text: str, context: Context) -> list[str]:
    """The columns that findmnt was asked for, where they are not its usual ones."""
    asked = context.command.value("-o", "--output") if context.command.program == "findmnt" else ""
    first = next((line.text.split() for line in context.lines(text) if line.text.strip()), [])
    titles = asked.upper().split(",") if asked else first if "FSTYPE" in first else []
    return titles if titles != ["TARGET", "SOURCE", "FSTYPE", "OPTIONS"] else []


def _chosen(text: str, titles: list[str]) -> dict[str, Any]:
    """One row of findmnt under chosen columns; one that was asked for a path need not say where it is mounted."""
    words = re.sub(r"^[├└│─|`\s-]+", "", text).split(None, len(titles) - 1)
    cells = {_COLUMNS[title]: word for title, word in zip(titles, words, strict=False) if title in _COLUMNS}
    plain = len(words) == len(titles) and words != titles and {"mount", "type"} <= set(cells)
    return cells if plain and cells["mount"].startswith("/") else {}


def _findmnt(text: str) -> dict[str, Any]:
    words = re.sub(r"^[├└│─|`\s-]+", "", text).split()
    if len(words) != 4 or not words[0].startswith("/") or not re.match(r"(?:rw|ro)\b", words[3]):
        return {}
    return {"mount": words[0], "device": words[1], "type": words[2], "options": words[3]}


def parse_lsblk(text: str, context: Context) -> list[Fact]:
    """Block devices."""
    facts = []
    for row in aligned(context.lines(text), wide=False):
        name = re.sub(r"^[├└│─`|\s-]+", "", row.cells.get("NAME", ""))
        facts.append(
            context.fact(
                "disk",
                safe_entity("disk", name),
                row.line,
                device=name,
                size=size(row.cells.get("SIZE", "")),
                read_only=row.cells.get("RO") == "1" if "RO" in row.cells else None,
                model=row.cells.get("MODEL"),
            )
        )
    return facts


def parse_docker_df(text: str, context: Context) -> list[Fact]:
    """docker system df: what images, containers, volumes and the build cache take."""
    facts = []
    for row in aligned(context.lines(text)):
        path = row.cells.get("TYPE") or row.cells.get("VOLUME NAME") or row.cells.get("REPOSITORY") or ""
        if path and (total := size(row.cells.get("SIZE", ""))) is not None:
            of = safe_entity("volume", path) if "VOLUME NAME" in row.cells else context.host
            facts.append(
                context.fact(
                    "directory",
                    of,
                    row.line,
                    path=f"docker {path}",
                    size=total,
                    files=number(row.cells.get("TOTAL", "")),
                )
            )
    return facts


def parse_iostat(text: str, context: Context) -> list[Fact]:
    """Extended device statistics of iostat -x: waits and utilisation."""
    facts: list[Fact] = []
    lines = list(context.lines(text))
    for at, line in enumerate(lines):
        if re.match(r"Device:?\s", line.text):
            titles = line.text.replace("Device:", "Device").split()
            body = lines[at + 1 :]
            end = next((i for i, row in enumerate(body) if not row.text.strip()), len(body))
            facts += [_device(row.cells, row.line, context) for row in worded(body[:end], titles)]
    return facts


def _device(cells: dict[str, str], line: Line, context: Context) -> Fact:
    waits = [
        float(value) for key in ("await", "r_await", "w_await") if (value := number(cells.get(key, ""))) is not None
    ]
    return context.fact(
        "disk",
        safe_entity("disk", cells["Device"]),
        line,
        device=cells["Device"],
        await_ms=max(waits) if waits else None,
        util_percent=percent(cells.get("%util", "")),
        read_iops=number(cells.get("r/s", "")),
        write_iops=number(cells.get("w/s", "")),
        queue=number(cells.get("aqu-sz", cells.get("avgqu-sz", ""))),
    )


PARSERS: Final = (
    Parser("df", parse, ("df",), looks=re.compile(r"\A\s*Filesystem\s+(?:Type\s+)?(?:Size|Inodes|\S+-blocks)\s")),
    Parser("docker system df", parse_docker_df, ("docker system df", "podman system df"),
           looks=re.compile(r"\A\s*TYPE\s+TOTAL\s+ACTIVE\s+SIZE")),
    Parser("du total", parse_du_total, looks=re.compile(r"(?m)^[\d.]+[KMGTP]\s+total\s*\Z")),
    Parser("du", parse_du, ("du",), looks=re.compile(r"\A(?:[\d.]+[KMGT]?\t\S+\n?)+\Z")),
    Parser("mount", parse_mount, ("mount", "findmnt"), ("/proc/mounts", "/proc/self/mounts"),
           re.compile(r"\A(?:\S+ on /\S* type \S+ \(|TARGET\s+SOURCE\s+FSTYPE)")),
    Parser("lsblk", parse_lsblk, ("lsblk",), looks=re.compile(r"\A\s*NAME\s+MAJ:MIN\s")),
    Parser("iostat", parse_iostat, ("iostat",), looks=re.compile(r"^Device:?\s+.*%util", re.MULTILINE)),
)  # fmt: skip
