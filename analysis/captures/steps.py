"""One line of several commands that print one line each: every command with its own line."""

import re
from typing import Final

from analysis.captures.transcript import Block

_INSIDE: Final = re.compile(
    r"""(?P<where>.*?)(?:(?:ba|da|a|z)?sh\s+-\w*c\s+)?(?P<quote>['"])(?P<steps>.+)(?P=quote)\s*$"""
)
_EXEC: Final = re.compile(r"(?:docker|podman|nerdctl|kubectl|oc)\b.*\bexec\b|(?:^|\s)ssh\s")
_CUT: Final = re.compile(r"\s*(?:;|&&)\s*")
_FILE: Final = re.compile(r"/(?:sys/fs/cgroup|proc/sys|sys/kernel|sys/module)/\S+")
_ONE_LINE: Final = re.compile(
    r"id -\w+|ulimit -[HS]*[a-z]|nproc|hostname|whoami|date(?: -u)?|uname(?: -\w+)?"
    r"|getconf \w+|sysctl -n \S+|.*\|\s*wc -l"
)
_SERIES: Final = re.compile(r"ulimit -[HS]?n|ls /proc/\d+/fd/?\s*\|\s*wc -l")  # one statement, read as a whole


def steps(block: Block) -> tuple[Block, ...]:
    """One block a command, where each is known to print one line and as many came; else the block as it is."""
    where, line = _taken_apart(block.command)
    commands = [each for step in _CUT.split(line) for each in _each_file(step)]
    lines = block.text.strip("\n").split("\n")
    plain = all(_ONE_LINE.fullmatch(each) or _is_file(each) for each in commands)
    if len(commands) < 2 or len(commands) != len(lines) or not plain or all(map(_SERIES.fullmatch, commands)):
        return (block,)
    skipped = len(block.text) - len(block.text.lstrip("\n"))
    return tuple(
        Block(f"{where}{command}", text, block.first_line + skipped + at, block.host)
        for at, (command, text) in enumerate(zip(commands, lines, strict=True))
    )


def _taken_apart(command: str) -> tuple[str, str]:
    """What says where to run, and the commands that are run there."""
    match = _INSIDE.fullmatch(command)
    if match and _EXEC.search(match["where"]):
        return match["where"], match["steps"].strip()
    return ("", command) if not _EXEC.search(command) else ("", "")


def _each_file(step: str) -> list[str]:
    """`cat A B` as one command for each file, where each has a single value."""
    program, *files = step.split() or [""]
    several = program == "cat" and len(files) > 1 and all(map(_FILE.fullmatch, files))
    return [f"cat {file}" for file in files] if several else [step]


def _is_file(step: str) -> bool:
    words = step.split()
    return len(words) == 2 and words[0] == "cat" and _FILE.fullmatch(words[1]) is not None
