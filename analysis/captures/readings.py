"""What no parser knows: the command with its first lines, counts, scalars of unknown documents. Nothing is lost."""

import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser
from analysis.captures.jsons import Json, documents
from analysis.captures.units import number
from domain.facts import Fact

_LINES: Final = 20
_CHARS: Final = 2000
_NOTES: Final = 200
_NUMBER: Final = re.compile(r"(?:[\w.-]+[:=]\s*)?(-?\d[\d,]*(?:\.\d+)?)\s*([A-Za-z%]{0,8})")
_DATED: Final = re.compile(r"\s*(?:[-*]\s+)?(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)\s")
_COUNTERS: Final = ("wc", "grep", "uniq")


def reading(text: str, context: Context) -> list[Fact]:
    """One command with what it printed and, where that is one number, its value."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    if not lines:
        asked = Line(context.first_line - 1, f"$ {context.command.line}")
        told = context.fact("reading", context.place, None, command=context.command.line, name=context.command.program)
        return [Fact(told.kind, told.entity, told.attributes, told.source, None, asked.number or None, None)]
    match = _NUMBER.fullmatch(lines[0].text.strip()) if len(lines) == 1 else None
    kept = "\n".join(line.text.rstrip() for line in lines[:_LINES])[:_CHARS]
    return [
        context.fact(
            "reading",
            context.place,
            lines[0],
            command=context.command.line,
            name=context.command.program,
            text=kept,
            value=number(match[1]) if match else None,
            unit=match[2] if match else None,
        )
    ]


def notes(text: str, context: Context) -> list[Fact]:
    """The scalars of a JSON document of unknown form, each under its path; or dated lines under a heading."""
    found = documents(text)
    if found:
        return notes_of(found if len(found) > 1 else found[0], context)
    if context.command.line.startswith("# "):
        title = context.command.line[2:]
        rows = [line for line in context.lines(text) if line.text.strip()]
        return [
            context.fact("note", context.place, line, _moment(line.text, context), name=title, text=line.text.strip())
            for line in rows
        ]
    return []


def notes_of(document: Json, context: Context) -> list[Fact]:
    """Each scalar of a document under its path."""
    pairs = list(_scalars(document, ""))[:_NOTES]
    return [context.fact("note", context.place, None, name=name or "value", **_told(value)) for name, value in pairs]


def _moment(text: str, context: Context) -> Any:
    match = _DATED.match(text)
    return context.time(match[1]) if match else None


def _told(value: Json) -> dict[str, Any]:
    return {"value": value} if isinstance(value, bool | int | float) else {"text": str(value)[:500]}


def _scalars(value: Json, path: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _scalars(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _scalars(item, f"{path}.{at}" if path else str(at))
    elif value is not None and value != "":
        yield path, value


def count(text: str, context: Context) -> list[Fact]:
    """`ps ... | wc -l`, `ss ... | grep -c ESTAB`: how many of something."""
    last = context.command.filters[-1] if context.command.filters else ""
    if last not in _COUNTERS or (match := re.fullmatch(r"\s*(\d+)\s*", text)) is None:
        return []
    line = next(line for line in context.lines(text) if match[1] in line.text)
    if re.search(r"/proc/(?:\d+|self)/fd", context.command.line):
        return [context.fact("limit", context.place, line, name="open files", used=int(match[1]))]
    kind, told = _COUNTED.get(context.command.program, ("reading", {}))
    if kind == "reading":
        return reading(text, context)
    pattern = re.findall(r"grep\s+(?:-\S+\s+)*'([^']*)'|grep\s+(?:-\S+\s+)*(\S+)", context.command.line)
    what = " ".join(a or b for a, b in pattern) or context.command.line
    return [context.fact(kind, context.place, line, **{**told, "count": int(match[1])} | _NAMED[kind](what))]


_COUNTED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ps": ("process", {}), "pgrep": ("process", {}), "ss": ("socket", {}), "netstat": ("socket", {}),
    "conntrack": ("socket", {}),
    "lsof": ("process", {}),
}  # fmt: skip
_NAMED: Final[dict[str, Any]] = {
    "process": lambda what: {"command": what, "state": "Z" if re.search(r"\bZ|defunct|zombie", what) else None},
    "socket": lambda what: {
        "state": next(
            (
                s
                for s in ("ESTAB", "TIME-WAIT", "TIME_WAIT", "CLOSE-WAIT", "CLOSE_WAIT", "SYN", "LISTEN")
                if s in what.upper()
            ),
            what,
        )
    },
}
LOG_COMMANDS: Final = (
    "docker logs", "docker compose logs", "docker-compose logs", "podman logs", "kubectl logs", "oc logs",
    "crictl logs", "nerdctl logs",
    "kubectl_logs", "fetch_pod_logs", "kubectl_previous_logs", "kubectl_logs_all_containers",
    "kubectl_previous_logs_all_containers",
    "kubectl_container_logs", "fetch_webpage", "fetch_runbook", "tail", "kubectl_logs_grep", "journalctl",
    "docker service logs",
)  # fmt: skip


def logs(_text: str, _context: Context) -> list[Fact]:
    """Log text holds no state: the log server reads it."""
    return []


LOGS: Final = Parser("logs", logs, LOG_COMMANDS, files=("*.log", "*/log/*", "*.log.*"))
