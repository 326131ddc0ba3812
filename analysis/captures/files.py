"""ls -l, stat, readlink, find, md5sum, crontab: files and schedules."""

import re
from typing import Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, size
from domain.facts import Fact

_LS: Final = re.compile(
    r"(?:\d+\s+)?(?P<mode>[bcdlps-][rwxsStT-]{9})[.+@]?\s+\d+\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+(?P<size>\d+,\s*\d+|[\d.,]+[KMGT]?)\s+"
    r"(?P<time>\w{3}\s+\d+\s+[\d:]+|"
    r"\d{4}-\d\d-\d\d \d\d:\d\d\S*(?: [+-]\d{4})?)\s+(?P<name>.*?)(?: -> (?P<target>.*))?$"
)
_KINDS: Final = {
    "d": "directory",
    "l": "link",
    "-": "file",
    "b": "block device",
    "c": "character device",
    "s": "socket",
    "p": "pipe",
}
_MISSING: Final = re.compile(
    r"(?:ls|stat|cat|find|head|tail|readlink|du|test): (?:cannot (?:access|stat|statx|"
    r"open) )?'?([^':]+?)'?(?: for reading)?: (No such file or directory|Permission denied)"
)
_INODES: Final = re.compile(r"Inodes: Total: (\d+)\s+Free: (\d+)")
_CRON: Final = re.compile(r"(?P<when>(?:[\d*/,-]+\s+){4}[\w*/,-]+|@\w+)\s+(?P<what>\S.*)")


def parse_ls(text: str, context: Context) -> list[Fact]:
    """ls -l: mode, owner, size, target; a folder given alone is prefixed to its names."""
    folder = next((path for path in context.command.words[1:] if path.startswith("/")), "")
    facts = []
    for line in context.lines(text):
        if match := _LS.match(line.text.strip()):
            name = match["name"]
            path = (
                name
                if name.startswith("/") or not folder or folder.rstrip("/").endswith(name)
                else f"{folder.rstrip('/')}/{name}"
            )
            total = number(match["size"])
            size_of = None if match["mode"][0] in "bc" else int(total) if total is not None else size(match["size"])
            facts.append(
                context.fact(
                    "file",
                    context.place,
                    line,
                    path=path,
                    size=size_of,  # of a device its numbers stand there
                    mode=match["mode"],
                    owner=match["owner"],
                    group=match["group"],
                    kind=_KINDS.get(match["mode"][0]),
                    target=match["target"],
                    exists=True,
                    modified_at=match["time"],
                )
            )
        elif match := _MISSING.search(line.text):
            facts.append(_missing(match, line, context))
    return facts


def parse_stat(text: str, context: Context) -> list[Fact]:
    """stat, and what any program says of a file that is not there."""
    if (counted := _INODES.search(text)) is not None:
        return _inodes(text, counted, context)
    found = re.search(r"^\s*File: '?‘?(.+?)’?'?$", text, re.MULTILINE)
    access = re.search(r"Access: \((\d+)/(\S+)\)\s+Uid: \(\s*\d+/\s*(\S+?)\)\s+Gid: \(\s*\d+/\s*(\S+?)\)", text)
    if found is None:
        return [_missing(match, line, context) for line in context.lines(text) if (match := _MISSING.search(line.text))]
    telling = (access or found)[0].strip()
    line = next((line for line in context.lines(text) if line.text.strip() and line.text.strip() in telling), None)
    bytes_ = re.search(r"Size: (\d+)", text)
    return [
        context.fact(
            "file",
            context.place,
            line,
            path=found[1],
            mode=access[2] if access else None,
            owner=access[3] if access else None,
            group=access[4] if access else None,
            size=int(bytes_[1]) if bytes_ else None,
            exists=True,
        )
    ]


def _inodes(text: str, counted: re.Match[str], context: Context) -> list[Fact]:
    """stat -f: how many inodes a file system has, and how many of them are free."""
    path = re.search(r'^\s*File: "(.+)"$', text, re.MULTILINE)
    kind = re.search(r"Type: (\S+)", text)
    total, free = int(counted[1]), int(counted[2])
    line = next(line for line in context.lines(text) if "Inodes:" in line.text)
    if path is None or total == 0:
        return []
    return [
        context.fact(
            "filesystem",
            context.command.inside or safe_entity("disk", path[1]),
            line,
            mount=path[1],
            type=kind[1] if kind else None,
            inodes=total,
            inodes_used=total - free,
            inodes_use_percent=round(100 * (total - free) / total, 1),
        )
    ]


def _missing(match: re.Match[str], line: Line, context: Context) -> Fact:
    exists = match[2] != "No such file or directory"
    return context.fact(
        "file", context.place, line, path=match[1], exists=exists, kind=None if not exists else "denied"
    )


def parse_crontab(text: str, context: Context) -> list[Fact]:
    """crontab -l and /etc/cron.d: one setting a job, named by its command."""
    path = next(iter(context.command.paths()), "crontab")
    return [
        context.fact(
            "setting", context.host, line, name=f"cron {job['what']}"[:200], value=job["when"].strip(), origin=path
        )
        for line in context.lines(text)
        if not line.text.lstrip().startswith("#") and (job := _CRON.match(line.text.strip()))
    ]


def parse_git(text: str, context: Context) -> list[Fact]:
    """git log: commits as notes, at their time."""
    facts, commit, moment = [], "", ""
    for line in context.lines(text):
        if match := re.match(r"commit ([0-9a-f]{7,40})", line.text):
            commit, moment = match[1], ""
        elif match := re.match(r"(?:Date|CommitDate):\s+(.*)", line.text):
            moment = match[1]
        elif commit and line.text.startswith("    ") and line.text.strip():
            facts.append(
                context.fact(
                    "note",
                    safe_entity("change", commit),
                    line,
                    context.time(moment),
                    name=commit,
                    text=line.text.strip(),
                )
            )
            commit = ""
        elif match := re.match(r"([0-9a-f]{7,40})\s+(?:\([^)]*\)\s+)?(\S.*)", line.text):
            facts.append(context.fact("note", safe_entity("change", match[1]), line, name=match[1], text=match[2]))
    return facts


PARSERS: Final = (
    Parser("ls", parse_ls, ("ls", "ll"), looks=re.compile(r"^total \d+\S*\n[bcdlps-][rwxsStT-]{9}", re.MULTILINE)),
    Parser("stat", parse_stat, ("stat", "readlink", "find", "test"), looks=re.compile(r"\A\s*File: \S+.*\n\s*Size: ")),
    Parser("crontab", parse_crontab, ("crontab",), ("/etc/cron*", "/var/spool/cron/*", "*crontab*")),
    Parser(
        "git log",
        parse_git,
        ("git log", "git show", "git reflog"),
        looks=re.compile(r"\Acommit [0-9a-f]{40}\n(?:Merge|Author):"),
    ),
)
