"""docker stats: the table, its JSON lines, --format lines, and samples of the engine's API."""

import re
from datetime import datetime
from typing import Any, Final

from analysis.captures.columns import aligned
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import Json, at, documents
from analysis.captures.units import number, percent, size
from domain.facts import Fact

_PLACE: Final = re.compile(r"\{\{\s*\.(\w+)\s*\}\}")
_USAGE: Final = re.compile(r"(\S+)\s+(?:.*?\s)?([\d.]+\s?[kKMGT]?i?B) / ([\d.]+\s?[kKMGT]?i?B)")


def parse(text: str, context: Context) -> list[Fact]:
    """What each container uses."""
    if found := documents(text):
        return [fact for document in found if (fact := stats_fact(document, context)) is not None]
    lines = list(context.lines(text))
    if "CPU %" in text:
        return [_row(row.cells, row.line, context) for row in aligned(lines)]
    return [fact for line in lines if (fact := _formatted(line, context)) is not None]


def stats_fact(document: Json, context: Context) -> Fact | None:
    """One sample, of the command line's JSON or of the API."""
    if not isinstance(document, dict):
        return None
    if "memory_stats" in document or "cpu_stats" in document:
        return _sample(document, context)
    name = document.get("Name") or document.get("name") or document.get("Container") or document.get("container")
    if not name:
        return None
    moment = context.time(document.get("time") or document.get("timestamp") or document.get("read"))
    return _used(context, None, str(name), document, moment)


def _row(cells: dict[str, str], line: Line, context: Context) -> Fact:
    return _used(
        context,
        line,
        cells.get("NAME") or cells.get("CONTAINER") or cells.get("CONTAINER ID", ""),
        {"CPUPerc": cells.get("CPU %"), "MemUsage": cells.get("MEM USAGE / LIMIT"), "PIDs": cells.get("PIDS")},
    )


def _used(context: Context, line: Line | None, name: str, told: dict[str, Any], moment: datetime | None = None) -> Fact:
    usage, _, limit = str(told.get("MemUsage") or "").partition(" / ")
    return context.fact(
        "container",
        safe_entity("container", name.lstrip("/")),
        line,
        moment,
        memory_usage=_bytes(told, usage, "memory_usage", "memory_bytes", "mem_usage"),
        memory_limit=_bytes(told, limit, "memory_limit", "mem_limit"),
        cpu_percent=percent(str(told.get("CPUPerc") or told.get("cpu_percent") or "")),
        pids=number(str(told.get("PIDs") or told.get("pids") or "")),
        pids_limit=told.get("pids_limit"),
    )


def _bytes(told: dict[str, Any], text: str, *names: str) -> int | None:
    if text:
        return size(text)
    value = next((told[name] for name in names if told.get(name) is not None), None)
    return value if isinstance(value, int) else None if value is None else size(str(value))


def _sample(document: dict[str, Any], context: Context) -> Fact:
    name = str(document.get("name") or str(document.get("id") or "")[:12]).lstrip("/")
    return context.fact(
        "container",
        safe_entity("container", name),
        None,
        context.time(document.get("read")),
        memory_usage=at(document, "memory_stats", "usage"),
        memory_limit=at(document, "memory_stats", "limit"),
        pids=at(document, "pids_stats", "current"),
        pids_limit=at(document, "pids_stats", "limit"),
        cpu_percent=_cpu_percent(document),
    )


def _cpu_percent(document: dict[str, Any]) -> float | None:
    """As the command line computes it: the container's share of the system's time, times its CPUs."""
    now, before = ("cpu_stats", "cpu_usage", "total_usage"), ("precpu_stats", "cpu_usage", "total_usage")
    used = (at(document, *now) or 0) - (at(document, *before) or 0)
    system = (at(document, "cpu_stats", "system_cpu_usage") or 0) - (
        at(document, "precpu_stats", "system_cpu_usage") or 0
    )
    if used <= 0 or system <= 0:
        return None
    return round(used / system * (at(document, "cpu_stats", "online_cpus") or 1) * 100, 2)


def _formatted(line: Line, context: Context) -> Fact | None:
    if told := _asked(line, context.command.value("--format")):
        name = told.get("Name") or told.get("Container") or ""
        return _used(context, line, name, told)
    match = _USAGE.match(line.text)
    return _used(context, line, match[1], {"MemUsage": f"{match[2]} / {match[3]}"}) if match else None


def _asked(line: Line, template: str) -> dict[str, str]:
    """What the fields of a template hold on this line; nothing where no name is among them."""
    fields = _PLACE.findall(template)
    literals = [re.sub(r"(?:\\t|\s)+", " ", part) for part in _PLACE.sub("\0", template.strip()).split("\0")]
    held = [r"(.+ / \S+)" if name == "MemUsage" else r"(\S+)" for name in fields]
    pattern = "".join(
        re.escape(part).replace(r"\ ", r"\s+") + value for part, value in zip(literals, [*held, ""], strict=True)
    )
    match = re.fullmatch(pattern, line.text.strip()) if {"Name", "Container"} & set(fields) else None
    return dict(zip(fields, match.groups(), strict=True)) if match else {}


PARSERS: Final = (
    Parser("docker stats", parse, ("docker stats", "docker container stats", "podman stats", "nerdctl stats"),
           looks=re.compile(r"\A\s*CONTAINER(?: ID)?\s+NAME.*CPU %.*MEM USAGE")),
)  # fmt: skip
