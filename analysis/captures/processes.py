"""ps with any columns, top's rows, pstree, pgrep: what runs on a machine or in a container."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any, Final

from analysis.captures.columns import worded
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import duration, number, percent, size
from domain.facts import Fact

_COLUMNS: Final[dict[str, str]] = {
    "PID": "pid", "PPID": "ppid", "USER": "user", "UID": "user", "RUSER": "user", "STAT": "state", "S": "state",
    "%CPU": "cpu_percent", "PCPU": "cpu_percent", "C": "cpu_percent", "%MEM": "memory_percent", "RSS": "rss",
    "RES": "rss", "RSZ": "rss", "VSZ": "vsz", "VIRT": "vsz", "ELAPSED": "elapsed_seconds", "ETIMES": "elapsed_seconds",
    "ETIME": "elapsed_seconds", "START": "started_at", "STIME": "started_at", "STARTED": "started_at",
    "LSTART": "started_at",
    "NLWP": "threads", "THCNT": "threads", "COMMAND": "command", "CMD": "command", "COMM": "command", "ARGS": "command",
    "SWAP": "swap",
}  # fmt: skip
_OPTIONS: Final = {
    "pid": "PID", "ppid": "PPID", "user": "USER", "stat": "STAT", "s": "S", "state": "S", "pcpu": "%CPU",
    "%cpu": "%CPU",
    "pmem": "%MEM", "%mem": "%MEM", "rss": "RSS", "vsz": "VSZ", "etime": "ELAPSED", "etimes": "ETIMES",
    "comm": "COMMAND",
    "cmd": "CMD", "args": "COMMAND", "nlwp": "NLWP", "lstart": "STARTED",
}  # fmt: skip
_MOST: Final = 300
_HEADER: Final = re.compile(r"\s*(?:[A-Z%][A-Z%0-9:+-]*\s*)+$")
_FIRST_COLUMN: Final = re.compile(
    r"\bps\s+(?:-\w*f\w*|aux\w*)\b[^|]*\|\s*(?:awk '\{ ?print \$1 ?\}'|cut -d' ' -f1)\s*\|"
)
_PGREP: Final = re.compile(r"\s*\d+ (\D.*)")
_INTERPRETED: Final = re.compile(
    r"(?:\S*/)?(?:ba|da|z|k)?sh (/?[\w./-]+)|(?:\S*/)?(?:python|php|perl|ruby)[\d.]* (/?[\w./-]+)"
)
_GROUPED: Final = re.compile(r"\s*(\d+)\s+(\S.*)")


def parse(text: str, context: Context) -> list[Fact]:
    """One fact a process; zombies, and commands that run many times, are counted besides."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    header = next((at for at, line in enumerate(lines) if _is_header(line.text)), None)
    if header is not None:
        titles, rows = lines[header].text.split(), lines[header + 1 :]
    else:
        titles, rows = _asked_titles(context), lines
    if not titles:
        return []
    facts = [
        fact for row in worded(rows[:5000], titles) if (fact := _process(row.cells, row.line, context)) is not None
    ]
    return facts[:_MOST] + _counts(facts)


def _is_header(text: str) -> bool:
    words = text.split()
    return len(words) > 1 and _HEADER.fullmatch(text) is not None and sum(word in _COLUMNS for word in words) >= 2


def _asked_titles(context: Context) -> list[str]:
    """`-o pid,stat,comm` where the header was cut off (sed 1d, grep, `pid=`)."""
    asked = [
        word
        for at, word in enumerate(context.command.words)
        if context.command.words[at - 1 : at] in (("-o",), ("-eo",), ("-eLo",), ("o",))
    ]
    names = [name.partition("=")[0].partition(":")[0] for part in asked for name in part.split(",")]
    return [_OPTIONS.get(name.lower(), name.upper()) for name in names]


def _process(cells: dict[str, str], line: Line, context: Context) -> Fact | None:
    told: dict[str, Any] = {
        _COLUMNS[key]: _value(_COLUMNS[key], value, key) for key, value in cells.items() if key in _COLUMNS
    }
    command = str(told.get("command") or "")
    if not command or command in _COLUMNS:
        return None
    name = _name(command)
    parent = context.command.inside or None
    return context.fact("process", safe_entity("process", name), line, **told | {"command": command}, parent=parent)


def _name(command: str) -> str:
    """`/usr/bin/postgres -D /data` -> postgres; `[kworker/0:1]` and `postgres: writer` keep their form."""
    if command.startswith("["):
        return command.split("]")[0] + "]"
    return command.split()[0].rpartition("/")[2].rstrip(":") or command.split()[0]


def _value(attribute: str, text: str, column: str) -> Any:
    if attribute in ("rss", "vsz", "swap"):
        plain = number(text)
        return int(plain) * 1024 if plain is not None else size(text)
    if attribute == "elapsed_seconds":
        return number(text) if column == "ETIMES" else duration(text)
    if attribute in ("cpu_percent", "memory_percent"):
        return percent(text)
    if attribute in ("pid", "ppid", "threads"):
        return number(text)
    return text


def _counts(facts: list[Fact]) -> list[Fact]:
    """Zombies by command, and commands that run at least five times."""
    zombies = Counter(fact.entity for fact in facts if _is_zombie(fact))
    many = Counter(fact.entity for fact in facts)
    first = {fact.entity: fact for fact in reversed(facts)}
    found: list[tuple[str, dict[str, Any]]] = [
        (of, {"state": "Z", "count": count}) for of, count in sorted(zombies.items())
    ]
    found += [(of, {"count": count}) for of, count in sorted(many.items()) if count >= 5]
    return [_counted(first[of], told) for of, told in found]


def _is_zombie(fact: Fact) -> bool:
    return str(fact.attributes.get("state") or "").startswith("Z") or "<defunct>" in str(fact.attributes["command"])


def _counted(fact: Fact, told: dict[str, Any]) -> Fact:
    """The same process, as one of many."""
    return replace(fact, attributes={"command": fact.attributes["command"], **told})


def parse_counted(text: str, context: Context) -> list[Fact]:
    """`... | sort | uniq -c | sort -rn`: how many of what; of processes and sockets as such, else as readings."""
    if not {"uniq"} & set(context.command.filters):
        return []
    kind = {"ps": "process", "ss": "socket", "netstat": "socket", "lsof": "process"}.get(
        context.command.program, "reading"
    )
    return [
        _grouped(kind, int(match[1]), match[2].strip(), line, context)
        for line in context.lines(text)
        if (match := _GROUPED.fullmatch(line.text))
    ]


def _grouped(kind: str, count: int, what: str, line: Line, context: Context) -> Fact:
    if kind == "process" and _of_users(context):
        return context.fact("process", safe_entity("process", what), line, command=what, count=count, user=what)
    if kind == "process":
        return context.fact("process", safe_entity("process", _name(what)), line, command=what, count=count)
    if kind == "socket":
        return context.fact("socket", context.place, line, state=what, count=count)
    return context.fact("reading", context.place, line, command=context.command.line, name=what[:80], value=count)


def parse_pgrep(text: str, context: Context) -> list[Fact]:
    """pgrep -a (BSD: -fl): one fact a command line, with how many copies of it run."""
    found = [(match[1].strip(), line) for line in context.lines(text) if (match := _PGREP.fullmatch(line.text))]
    many = Counter(command for command, _ in found)
    first = dict(reversed(found))
    return [
        context.fact("process", safe_entity("process", _script(command)), first[command], command=command, count=count)
        for command, count in many.items()
    ]


def _script(command: str) -> str:
    """The script that an interpreter runs, else the program."""
    interpreted = _INTERPRETED.match(command)
    return _name(interpreted[1] or interpreted[2] if interpreted else command)


def _of_users(context: Context) -> bool:
    """Whether users were counted: `ps -eo user=`, or the first column of `ps -ef`."""
    asked = [_COLUMNS.get(title) for title in _asked_titles(context)]
    return asked == ["user"] or (not asked and _FIRST_COLUMN.search(context.command.line) is not None)


def parse_pstree(text: str, context: Context) -> list[Fact]:
    """pstree: `31*[curl]` counts what hangs under a process."""
    facts = []
    for line in context.lines(text):
        for count, name in re.findall(r"(\d+)\*\[\{?([^\]}]+)\}?\]", line.text):
            facts.append(
                context.fact(
                    "process", safe_entity("process", name.split("(")[0]), line, command=name, count=int(count)
                )
            )
    return facts


PARSERS: Final = (
    Parser("counted", parse_counted, ("ps", "ss", "netstat", "lsof", "awk", "cut", "grep", "cat", "journalctl")),
    Parser(
        "ps",
        parse,
        ("ps", "top", "docker top", "docker container top", "podman top", "pidstat"),
        looks=re.compile(
            r"^\s*(?:USER|UID|PID|PPID|RSS|%CPU|STAT)\s+(?:\S+\s+)*(?:COMMAND|CMD|COMM)\s*$", re.MULTILINE
        ),
    ),
    Parser("pgrep", parse_pgrep, ("pgrep",)),
    Parser("pstree", parse_pstree, ("pstree",)),
)
