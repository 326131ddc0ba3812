"""systemctl status, list-units, show; journal lines of a unit's end: systemd services."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, size
from domain.facts import Fact

_HEAD: Final = re.compile(r"^[●○×*↻]?\s*(\S+\.(?:service|socket|timer|mount|target|scope|slice))(?: - (.*))?$")
_ACTIVE: Final = re.compile(
    r"^\s*Active: (\S+) \(([^)]*)\)(?: \(Result: ([\w-]+)\))?(?: since ([^;]+))?(?:; (.*?) ago)?"
)
_LOADED: Final = re.compile(r"^\s*Loaded: (\S+)")
_CODE: Final = re.compile(r"(?:status|code=\w+, status)=(\d+)(?:/([\w-]+))?")
_MEMORY: Final = re.compile(r"^\s*Memory: ([\d.]+[KMGT]?)")
_LIST: Final = re.compile(
    r"^[●○×*]?\s*(\S+\.(?:service|socket|timer|mount|target|scope))\s+(loaded|not-found|masked|bad-setting|"
    r"error)\s+(\S+)\s+(\S+)\s*(.*)$"
)
_SHOW: Final = {
    "ActiveState": "active_state", "SubState": "sub_state", "LoadState": "load_state", "Result": "result",
    "ExecMainStatus": "exit_code", "NRestarts": "restarts", "MemoryCurrent": "memory", "Description": "description",
}  # fmt: skip


def parse_status(text: str, context: Context) -> list[Fact]:
    """Each unit of systemctl status, with the line that tells its activity."""
    facts: list[Fact] = []
    name, told, telling = "", dict[str, Any](), Line(0, "")
    for line in context.lines(text):
        if match := _HEAD.match(line.text):
            facts += _unit(name, told, telling, context)
            name, told, telling = match[1], {"description": match[2]}, line
        elif name:
            telling = line if _ACTIVE.match(line.text) else telling
            told |= _detail(line.text, told)
    return facts + _unit(name, told, telling, context)


def _detail(text: str, known: dict[str, Any]) -> dict[str, Any]:
    if match := _ACTIVE.match(text):
        return {"active_state": match[1], "sub_state": match[2], "result": match[3], "since": match[4]}
    if match := _LOADED.match(text):
        return {"load_state": match[1]}
    if match := _MEMORY.match(text):
        return {"memory": size(match[1])}
    if "exit_code" not in known and re.match(r"\s*(?:Main PID|Process):", text) and (match := _CODE.search(text)):
        return {"exit_code": int(match[1])}
    return {}


def _unit(name: str, told: dict[str, Any], line: Line, context: Context) -> list[Fact]:
    return [context.fact("unit", safe_entity("service", name.removesuffix(".service")), line, **told)] if name else []


def parse_list(text: str, context: Context) -> list[Fact]:
    """systemctl list-units, --failed."""
    return [
        context.fact(
            "unit",
            safe_entity("service", match[1].removesuffix(".service")),
            line,
            load_state=match[2],
            active_state=match[3],
            sub_state=match[4],
            description=match[5],
        )
        for line in context.lines(text)
        if (match := _LIST.match(line.text))
    ]


def parse_show(text: str, context: Context) -> list[Fact]:
    """systemctl show -p ...; systemctl is-active prints the state alone."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    named = context.command.plain.split()[2:3]
    of = safe_entity("service", named[0].removesuffix(".service")) if named else context.host
    if len(lines) == 1 and "=" not in lines[0].text:
        return [context.fact("unit", of, lines[0], active_state=lines[0].text.strip())]
    pairs = [(line, *line.text.partition("=")[::2]) for line in lines]
    known = {
        _SHOW[key]: number(value) if _SHOW[key] in ("exit_code", "restarts", "memory") else value
        for _, key, value in pairs
        if key in _SHOW
    }
    return [context.fact("unit", of, lines[0], **known)] if known else []


def parse_analyze(text: str, context: Context) -> list[Fact]:
    """systemd-detect-virt, hostnamectl: what kind of machine it is."""
    facts = []
    for line in context.lines(text):
        key, _, value = line.text.partition(":")
        if context.command.program == "systemd-detect-virt" and line.text.strip():
            facts.append(context.fact("setting", context.host, line, name="virtualization", value=line.text.strip()))
        elif value.strip() and key.strip() in (
            "Static hostname",
            "Virtualization",
            "Operating System",
            "Kernel",
            "Architecture",
            "Chassis",
        ):
            facts.append(context.fact("setting", context.host, line, name=key.strip().lower(), value=value.strip()))
    return facts


PARSERS: Final = (
    Parser(
        "systemctl list",
        parse_list,
        ("systemctl list-units", "systemctl --failed", "systemctl"),
        looks=re.compile(r"\A\s*UNIT\s+LOAD\s+ACTIVE\s+SUB"),
    ),
    Parser("systemctl status", parse_status, ("systemctl status", "service"), looks=re.compile(r"\A[●○×]\s\S+\.\w+")),
    Parser("systemctl show", parse_show, ("systemctl show", "systemctl is-active", "systemctl is-failed")),
    Parser("hostnamectl", parse_analyze, ("hostnamectl", "systemd-detect-virt")),
)
