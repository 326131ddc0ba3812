"""lsof: open files by process, deleted ones that are still held, and who listens on a port."""

import re
from collections import Counter
from typing import Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from domain.facts import Fact

_DELETED: Final = re.compile(
    r"(?P<name>\S+)\s+\d+\s+(?:\d+\s+\S+\s+)?(?P<user>\S+)\s+\d+[rwu ]?\S*\s+REG\s+\S+\s+(?P<size>\d+)\s+"
    r"(?:\d+\s+)?\d+\s+(?P<path>/.*?)\s+\(deleted\)$"
)
_LISTENS: Final = re.compile(
    r"(?P<name>\S+)\s+(?P<pid>\d+)\s.*\s(?P<protocol>TCP|UDP)\s+"
    r"(?P<local>\S+:(?P<port>[\w-]+))(?P<listen> \(LISTEN\))?$"
)
_CUT: Final = {"systemd-r": "systemd-resolve", "docker-pr": "docker-proxy", "rootlessp": "rootlessport",
               "com.docke": "com.docker.backend"}  # fmt: skip  # names as lsof cuts them, at nine characters
_PORTS: Final = {"http": "80", "https": "443", "domain": "53", "http-alt": "8080", "ssh": "22", "smtp": "25",
                 "mysql": "3306", "postgresql": "5432", "ntp": "123", "mqtt": "1883", "redis": "6379"}  # fmt: skip


def parse_lsof(text: str, context: Context) -> list[Fact]:
    """lsof: open files by process, and each deleted one that is still open."""
    rows = [line for line in context.lines(text) if re.match(r"\S+\s+\d+\s", line.text)]
    counts = Counter((line.text.split()[0], int(line.text.split()[1])) for line in rows)
    first = {(line.text.split()[0], int(line.text.split()[1])): line for line in reversed(rows)}
    return [
        context.fact("process", safe_entity("process", name), first[name, pid], pid=pid, command=name, open_files=count)
        for (name, pid), count in counts.most_common(20)
    ] + [fact for line in rows if (fact := _open(line, context)) is not None]


def _open(line: Line, context: Context) -> Fact | None:
    """A deleted file that is held, or a port that is listened on."""
    if match := _DELETED.match(line.text.strip()):
        return _deleted(match, line, context)
    match = _LISTENS.fullmatch(line.text.strip())
    if match is None or not (match["listen"] or match["protocol"] == "UDP"):
        return None
    name = _CUT.get(match["name"], match["name"])
    local = match["local"].rpartition(":")[0].replace("*", "0.0.0.0") + f":{_PORTS.get(match['port'], match['port'])}"
    return context.fact(
        "socket", safe_entity("process", name), line, protocol=match["protocol"].lower(), local=local,
        state="LISTEN" if match["listen"] else "UNCONN", process=name, pid=int(match["pid"]),
    )  # fmt: skip


def _deleted(match: re.Match[str], line: Line, context: Context) -> Fact:
    """A file without a name whose space its holder keeps."""
    of = safe_entity("process", match["name"])
    return context.fact(
        "file", of, line, path=match["path"], size=int(match["size"]), kind="deleted", owner=match["user"], exists=False
    )


PARSERS: Final = (
    Parser("lsof", parse_lsof, ("lsof",), looks=re.compile(r"\ACOMMAND\s+PID\s+(?:TID\s+)?(?:TASKCMD\s+)?USER\s+FD")),
)
