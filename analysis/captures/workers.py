"""Status pages of servers with a fixed number of workers: php-fpm, Apache."""

import re
from typing import Any, Final

from analysis.captures.addressed import target_entity
from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import number
from domain.facts import Fact

_FPM: Final = {"listen queue": "waiting", "idle processes": "idle", "active processes": "active",
               "total processes": "size"}  # fmt: skip
_APACHE: Final = {"BusyWorkers": "active", "IdleWorkers": "idle"}


def parse_fpm(text: str, context: Context) -> list[Fact]:
    """php-fpm's status page: one pool."""
    return _pool(text, context, _FPM, "workers of php-fpm", "listen queue")


def parse_apache(text: str, context: Context) -> list[Fact]:
    """Apache's server-status?auto: busy and idle workers; how many requests wait it does not tell."""
    return _pool(text, context, _APACHE, "workers of Apache", "IdleWorkers")


def _pool(text: str, context: Context, keys: dict[str, str], name: str, telling: str) -> list[Fact]:
    told: dict[str, Any] = {}
    line: Line | None = None
    for each in context.lines(text):
        key, _, value = (part.strip() for part in each.text.partition(":"))
        told |= {keys[key]: number(value)} if key in keys else {}
        line = each if key == telling else line
    asked = next((word for word in context.command.words if "://" in word), "")
    owner = target_entity(asked, context) if asked else context.place
    return [] if line is None else [context.fact("pool", owner, line, name=name, **told)]


PARSERS: Final = (
    Parser("fpm-status", parse_fpm, looks=re.compile(r"\Apool:\s+\S+\s*\nprocess manager:", re.MULTILINE)),
    Parser("server-status", parse_apache, looks=re.compile(r"^BusyWorkers: \d+\s*\nIdleWorkers: ", re.MULTILINE)),
)
