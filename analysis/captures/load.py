"""uptime, top, vmstat, mpstat, nproc, lscpu, /proc/cpuinfo, pressure: how busy a machine is, and with what CPU."""

import re
from typing import Any, Final

from analysis.captures.columns import worded
from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import duration, number
from domain.facts import Fact

_LOADS: Final = re.compile(r"load averages?:\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)")
_LOADAVG: Final = re.compile(r"([\d.]+) ([\d.]+) ([\d.]+) \d+/\d+ \d+\s*$")
_UP: Final = re.compile(r"\bup\s+(.*?)(?:,\s+(\d+) users?)?,\s+load")
_CPU_LINE: Final = re.compile(r"%?Cpu\(s\):\s*(.*)")
_SHARE: Final = re.compile(r"([\d.]+)\s*%?\s*(us|sy|id|wa|st|hi|si|ni)\b")
_SHARES: Final = {"us": "user", "sy": "system", "id": "idle", "wa": "iowait", "st": "steal"}
_PRESSURE: Final = re.compile(r"(some|full) avg10=([\d.]+) avg60=([\d.]+)")
_LSCPU: Final = {"CPU(s)": "cpus", "Model name": "model", "Architecture": "architecture", "Flags": "flags"}
_CPUINFO: Final = re.compile(r"(model name|flags|Features|siblings|cpu cores)\s*:\s*(.*)")


def parse_uptime(text: str, context: Context) -> list[Fact]:
    """Load averages, wherever a line tells them: uptime, top, w, /proc/loadavg."""
    if context.command.has("-s", "--since") and (since := context.time(text.strip())) is not None:
        seconds = (context.clock.now - since).total_seconds()
        return [context.fact("load", context.host, next(context.lines(text)), since, uptime_seconds=seconds)]
    facts = []
    for line in context.lines(text):
        if match := _LOADS.search(line.text) or _LOADAVG.match(line.text):
            up = _UP.search(line.text)
            facts.append(_load(match, up, line, context))
        if match := _CPU_LINE.search(line.text):
            facts.append(_cpu({b: float(a) for a, b in _SHARE.findall(match[1])}, line, context))
    return facts


def _load(match: re.Match[str], up: re.Match[str] | None, line: Line, context: Context) -> Fact:
    seconds = duration(re.sub(r"(\d+):(\d+)", r"\1 h \2 min", up[1])) if up else None
    users = int(up[2]) if up and up[2] else None
    load = [float(part) for part in match.groups()]
    return context.fact(
        "load", context.host, line, load1=load[0], load5=load[1], load15=load[2], users=users, uptime_seconds=seconds
    )


def _cpu(shares: dict[str, float], line: Line, context: Context) -> Fact:
    told: dict[str, Any] = {_SHARES[key]: value for key, value in shares.items() if key in _SHARES}
    if "idle" in told:
        told["percent"] = round(100 - told["idle"], 1)
    return context.fact("cpu", context.host, line, **told)


def parse_vmstat(text: str, context: Context) -> list[Fact]:
    """The last sample of vmstat: shares of CPU time, and what was swapped."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    header = next((at for at, line in enumerate(lines) if re.match(r"\s*r\s+b\s+swpd", line.text)), None)
    if header is None or header + 1 >= len(lines):
        return []
    *_, row = worded(lines[header + 1 :], lines[header].text.split())
    shares = {key: float(value) for key in _SHARES if (value := number(row.cells.get(key, ""))) is not None}
    swap = number(row.cells.get("swpd", ""))
    facts = [_cpu(shares, row.line, context)]
    if swap is not None:
        free = number(row.cells.get("free", ""))
        facts.append(
            context.fact(
                "memory",
                context.host,
                row.line,
                swap_used=int(swap * 1024),
                free=None if free is None else int(free * 1024),
            )
        )
    return facts


def parse_mpstat(text: str, context: Context) -> list[Fact]:
    """mpstat and sar -u: the line over all CPUs."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    header = next((line for line in lines if "%idle" in line.text), None)
    row = next((line for line in reversed(lines) if re.search(r"\ball\b", line.text)), None)
    if header is None or row is None:
        return []
    titles = header.text.split()[header.text.split().index("CPU") :] if "CPU" in header.text else []
    cells = dict(zip(titles, row.text[row.text.index("all") :].split(), strict=False))
    names = {"%usr": "us", "%user": "us", "%sys": "sy", "%system": "sy", "%iowait": "wa", "%steal": "st", "%idle": "id"}
    shares = {names[key]: float(value) for key, value in cells.items() if key in names and number(value) is not None}
    return [_cpu(shares, row, context)]


def parse_nproc(text: str, context: Context) -> list[Fact]:
    """The number of CPUs."""
    line = next((line for line in context.lines(text) if line.text.strip().isdigit()), None)
    return [] if line is None else [context.fact("cpu", context.place, line, cpus=int(line.text))]


def parse_lscpu(text: str, context: Context) -> list[Fact]:
    """lscpu."""
    told: dict[str, Any] = {}
    first: Line | None = None
    for line in context.lines(text):
        key, _, value = line.text.partition(":")
        if key.strip() in _LSCPU and value.strip():
            told.setdefault(_LSCPU[key.strip()], value.strip())
            first = line if first is None or key.strip() == "Model name" else first
    return _cpu_model(told, first, context)


def parse_cpuinfo(text: str, context: Context) -> list[Fact]:
    """/proc/cpuinfo, whole or a grep of it: model and instruction sets."""
    told: dict[str, Any] = {}
    first: Line | None = None
    for line in context.lines(text):
        if match := _CPUINFO.match(line.text):
            name = {"model name": "model", "flags": "flags", "Features": "flags"}.get(match[1])
            if name:
                told.setdefault(name, match[2].strip())
                first = first or line
    processors = len(re.findall(r"^processor\s*:", text, re.MULTILINE))
    return _cpu_model(told | ({"cpus": processors} if processors else {}), first, context)


def _cpu_model(told: dict[str, Any], line: Line | None, context: Context) -> list[Fact]:
    if line is None:
        return []
    if "cpus" in told:
        told["cpus"] = number(str(told["cpus"]))
    if "flags" in told:
        told["flags"] = str(told["flags"]).split()
    return [context.fact("cpu", context.place, line, **told)]


def parse_pressure(text: str, context: Context) -> list[Fact]:
    """/proc/pressure/*: the share of time that tasks waited."""
    told: dict[str, Any] = {}
    found: Line | None = None
    for line in context.lines(text):
        if match := _PRESSURE.search(line.text):
            told |= {f"{match[1]}10": float(match[2]), f"{match[1]}60": float(match[3])}
            found = found or line
    path = next(iter(context.command.paths()), "")
    resource = re.search(r"(cpu|memory|io)", path)
    named = resource[1] if resource else None
    return [] if found is None else [context.fact("pressure", context.place, found, resource=named, **told)]


PARSERS: Final = (
    Parser("uptime", parse_uptime, ("uptime", "w", "top"), ("/proc/loadavg",), re.compile(r"load average: ")),
    Parser("vmstat", parse_vmstat, ("vmstat",), looks=re.compile(r"\A\s*(?:procs -+|r\s+b\s+swpd)")),
    Parser("mpstat", parse_mpstat, ("mpstat", "sar"), looks=re.compile(r"CPU\s+%usr\s+%nice")),
    Parser("nproc", parse_nproc, ("nproc", "getconf _NPROCESSORS_ONLN")),
    Parser("lscpu", parse_lscpu, ("lscpu",), looks=re.compile(r"\AArchitecture:\s+\S+\n\s*CPU op-mode")),
    Parser("/proc/cpuinfo", parse_cpuinfo, files=("/proc/cpuinfo",), looks=re.compile(r"\Aprocessor\s*:\s*0")),
    Parser(
        "pressure",
        parse_pressure,
        files=("/proc/pressure/*", "*.pressure"),
        looks=re.compile(r"\A(?:some|full) avg10="),
    ),
)
