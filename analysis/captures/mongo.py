"""mongosh: rs.status(), serverStatus(), currentOp, startup warnings, as JSON or in the shell's own notation."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_WARNING: Final = re.compile(r"\*\* WARNING: (.*)")
_PAIR: Final = re.compile(
    r"""\s*["']?([A-Za-z_][\w.]*)["']?\s*:\s*(?:NumberLong\(|ISODate\(|Timestamp\(|Long\()?"""
    r"""(?:'([^']*)'|"([^"]*)"|([^"'{}\[\],()]*))\)?,?\s*$"""
)
_MEMBER: Final = ("name", "stateStr", "health", "lastHeartbeatMessage", "syncSourceHost")


def parse_warnings(text: str, context: Context) -> list[Fact]:
    """Startup warnings: what the server itself finds wrong with its setting."""
    return [
        context.fact("note", _server(context), line, name="startup warning", text=match[1].strip())
        for line in context.lines(text)
        if (match := _WARNING.search(line.text))
    ]


def parse(text: str, context: Context) -> list[Fact]:
    """Members of a replica set, and any other scalars as notes."""
    pairs = [(match[1], _value(match), line) for line in context.lines(text) if (match := _PAIR.match(line.text))]
    if not pairs:
        return parse_warnings(text, context)
    facts = _members(pairs, context)
    if facts:
        return facts
    told = [(key, value, line) for key, value, line in pairs if value][:100]
    return [
        context.fact("note", _server(context), line, name=key, value=number(value), text=value)
        for key, value, line in told
    ]


def _value(match: re.Match[str]) -> str:
    return (match[2] or match[3] or match[4] or "").strip()


def _members(pairs: list[tuple[str, str, Line]], context: Context) -> list[Fact]:
    members: list[tuple[dict[str, Any], Line]] = []
    for key, value, line in pairs:
        if key == "name" and ":" in value:
            members.append(({"name": value}, line))
        elif members and key in _MEMBER:
            members[-1][0].setdefault(key, value)
            if key == "stateStr":
                members[-1] = (members[-1][0], line)
    return [
        context.fact(
            "replication",
            safe_entity("database", told["name"].partition(":")[0]),
            line,
            name=told["name"],
            role=str(told.get("stateStr", "")).lower(),
            state=told.get("stateStr"),
            active=told.get("health") != "0" and told.get("stateStr") in ("PRIMARY", "SECONDARY", "ARBITER"),
        )
        for told, line in members
        if "stateStr" in told
    ]


def _server(context: Context) -> str:
    return context.command.inside or safe_entity("service", "mongodb")


PARSERS: Final = (
    Parser(
        "mongo warnings", parse_warnings, ("db startup warnings",), looks=re.compile(r"^\*\* WARNING: ", re.MULTILINE)
    ),
    Parser(
        "mongosh", parse, ("mongosh", "mongo", "mongostat"), looks=re.compile(r"^\s*\"?stateStr\"?\s*:", re.MULTILINE)
    ),
)
