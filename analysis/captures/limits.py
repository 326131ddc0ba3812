"""ulimit, /proc/<pid>/limits, cgroup files, /proc/sys/fs/file-nr: what a process or group of processes may have."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_ULIMIT: Final = re.compile(r"(.+?)\s{2,}\((?:([\w-]+(?: [\w-]+)*), )?-(\w)\)\s+(\S+)\s*$")
_BUSYBOX: Final = re.compile(r"-(\w): (.+?)\s{2,}(\S+)\s*$")
_PROC: Final = re.compile(r"(Max [\w ]+?)\s{2,}(\S+)\s+(\S+)\s*(\S+)?\s*$")
_STEP: Final = re.compile(r"\bulimit -(?P<kind>[SH]?)n\b|(?P<used>/proc/\d+/fd/? ?\| ?wc -l)")
_OPTIONS: Final = {
    "n": "open files",
    "u": "max user processes",
    "c": "core file size",
    "s": "stack size",
    "l": "max locked memory",
    "v": "virtual memory",
    "f": "file size",
}
_CGROUP: Final = re.compile(r"(?:docker-|cri-containerd-|crio-|libpod-)?([0-9a-f]{64})|/docker/([0-9a-f]{64})")
_FLAT: Final = re.compile(r"([a-z_]+) (\d+)$")
_UNLIMITED: Final = ("unlimited", "max", "-1", "9223372036854771712", "18446744073709551615")


def parse_ulimit(text: str, context: Context) -> list[Fact]:
    """ulimit -a, or one value of ulimit -n."""
    facts = []
    lines = [line for line in context.lines(text) if line.text.strip()]
    option = next((word[-1] for word in context.command.words[1:] if re.fullmatch(r"-[SH]*[a-z]", word)), "f")
    if len(lines) == 1 and len(lines[0].text.split()) == 1:
        hard = any(word.startswith("-H") for word in context.command.words)
        return [_limit(_OPTIONS.get(option, option), lines[0].text.strip(), None, lines[0], context, hard=hard)]
    if series := _series(lines, context):
        return [series]
    for line in lines:
        if match := _ULIMIT.match(line.text):
            facts.append(_limit(match[1].strip(), match[4], match[2], line, context))
        elif match := _BUSYBOX.match(line.text):
            facts.append(_limit(match[2].strip(), match[3], None, line, context))
    return facts


def _series(lines: list[Line], context: Context) -> Fact | None:
    """`ulimit -Sn; ulimit -Hn; ls /proc/1/fd | wc -l`: open files, one line each, as one fact."""
    steps = list(_STEP.finditer(context.command.line))
    values = [_amount(line.text.strip()) for line in lines]
    if len(steps) < 2 or len(steps) != len(lines) or any(value is None for value in values):
        return None
    names = ["used" if match["used"] else "hard" if "H" in (match["kind"] or "") else "soft" for match in steps]
    told = dict(zip(names, values, strict=True))
    return context.fact(
        "limit", context.place, lines[names.index("soft") if "soft" in names else 0], name="open files", **told
    )


def _limit(name: str, value: str, unit: str | None, line: Line, context: Context, *, hard: bool = False) -> Fact:
    told = {"hard" if hard else "soft": _amount(value)}
    return context.fact("limit", context.place, line, name=name, unit=unit, **told)


def _amount(text: str) -> int | float | str | None:
    return "unlimited" if text in _UNLIMITED else number(text)


def parse_proc(text: str, context: Context) -> list[Fact]:
    """/proc/<pid>/limits."""
    pid = re.search(r"/proc/(\d+)/limits", context.command.line)
    return [
        context.fact(
            "limit",
            context.place,
            line,
            name=match[1].strip(),
            soft=_amount(match[2]),
            hard=_amount(match[3]),
            unit=match[4],
            pid=int(pid[1]) if pid else None,
        )
        for line in context.lines(text)
        if (match := _PROC.match(line.text))
    ]


def parse_file_nr(text: str, context: Context) -> list[Fact]:
    """/proc/sys/fs/file-nr: open files of the whole machine, and the most there may be."""
    line = next((line for line in context.lines(text) if len(line.text.split()) == 3), None)
    if line is None:
        return []
    used, _, most = (number(word) for word in line.text.split())
    return [context.fact("limit", context.host, line, name="fs.file-max", used=used, hard=most)]


def parse_cgroup(text: str, context: Context) -> list[Fact]:
    """One file of a cgroup, of a container where the path has its id."""
    path = next((path for path in context.command.paths() if "cgroup" in path or "." in path), "")
    name = path.rpartition("/")[2]
    found = _CGROUP.search(path)
    of = safe_entity("container", (found[1] or found[2])[:12]) if found else context.place
    lines = [line for line in context.lines(text) if line.text.strip()]
    if len(lines) == 1 and len(lines[0].text.split()) == 1:
        return [_value(name, lines[0].text.strip(), of, lines[0], context)]
    return [
        fact
        for line in lines
        if (match := _FLAT.match(line.text.strip()))
        for fact in _entry(name, match, of, line, context)
    ]


_CONTAINER: Final = {
    "memory.max": "memory_limit", "memory.limit_in_bytes": "memory_limit", "memory.current": "memory_usage",
    "memory.usage_in_bytes": "memory_usage", "pids.max": "pids_limit", "pids.current": "pids",
}  # fmt: skip


def _value(name: str, value: str, of: str, line: Line, context: Context) -> Fact:
    amount = _amount(value)
    if name in _CONTAINER and of.startswith(("container:", "pod:")) and not isinstance(amount, str):
        return context.fact("container", of, line, **{_CONTAINER[name]: amount})
    used = name.endswith((".current", "_in_bytes", ".peak")) and "limit" not in name
    return context.fact("limit", of, line, name=name, **{"used" if used else "hard": amount})


def _entry(name: str, match: re.Match[str], of: str, line: Line, context: Context) -> list[Fact]:
    """memory.events, cpu.stat, memory.stat: what counts as news."""
    key, value = match[1], int(match[2])
    if name.startswith("memory.events") and key in ("oom", "oom_kill", "max"):
        return [context.fact("kernel", of, line, event=f"cgroup_{key}", message=f"{key} {value}")] if value else []
    if key in ("nr_throttled", "nr_periods", "throttled_usec", "throttled_time"):
        return [context.fact("setting", of, line, name=f"{name}.{key}", value=value)]
    return [context.fact("setting", of, line, name=f"{name}.{key}", value=value)]


def throttled(facts: list[Fact]) -> list[Fact]:
    """The share of periods in which a group was throttled, from cpu.stat."""
    told = {str(f.attributes.get("name")).rpartition(".")[2]: f for f in facts if f.kind == "setting"}
    periods, hit = told.get("nr_periods"), told.get("nr_throttled")
    if periods is None or hit is None or not periods.attributes["value"]:
        return []
    share: Any = round(100 * float(str(hit.attributes["value"])) / float(str(periods.attributes["value"])), 1)
    return [Fact("cpu", hit.entity, {"throttled_percent": share}, hit.source, None, hit.line, hit.quote)]


def parse_cpu_stat(text: str, context: Context) -> list[Fact]:
    """cpu.stat with the share of throttled periods."""
    facts = parse_cgroup(text, context)
    return facts + throttled(facts)


PARSERS: Final = (
    Parser(
        "ulimit",
        parse_ulimit,
        ("ulimit", "prlimit"),
        looks=re.compile(r"\Acore file size\s+\(|^open files\s+\(-n\)", re.MULTILINE),
    ),
    Parser(
        "/proc/limits",
        parse_proc,
        files=("/proc/*/limits",),
        looks=re.compile(r"\ALimit\s+Soft Limit\s+Hard Limit|\AMax [a-z ]+?\s{2,}\S+\s{2,}\S+"),
    ),
    Parser("file-nr", parse_file_nr, files=("/proc/sys/fs/file-nr",)),
    Parser("cpu.stat", parse_cpu_stat, files=("*cpu.stat",), looks=re.compile(r"\A(?:usage_usec \d+|nr_periods \d+)")),
    Parser("cgroup", parse_cgroup, files=("/sys/fs/cgroup/*", "*/memory.max", "*/pids.current", "*/memory.events")),
)
