"""id, groups, getent group: as whom something runs, and which number a group has."""

import re
from typing import Final

from analysis.captures.context import Context, Parser
from domain.facts import Fact

_ID: Final = re.compile(r"uid=(?P<uid>\d+)\S* gid=(?P<gid>\d+)\S*(?: groups=(?P<groups>\S+(?: \S+)*))?")
_GROUP: Final = re.compile(r"(?P<name>[a-z_][\w-]*):[^:\s]*:(?P<gid>\d+):\S*")


def parse_id(text: str, context: Context) -> list[Fact]:
    """id inside a container: the numbers that the kernel compares with owners and groups of files."""
    for line in context.lines(text):
        match = _ID.match(line.text.strip())
        if match and context.command.inside.startswith("container:"):
            groups = re.findall(r"(?:^|,)(\d+)", match["groups"] or "") or [match["gid"]]
            return [context.fact("container", context.place, line, user=match["uid"], groups=groups)]
    return []


def parse_groups(text: str, context: Context) -> list[Fact]:
    """getent group, /etc/group: the number of each group."""
    return [
        context.fact("setting", context.place, line, name=f"group {match['name']}", value=match["gid"], origin="group")
        for line in context.lines(text)
        if (match := _GROUP.fullmatch(line.text.strip()))
    ]


PARSERS: Final = (
    Parser("id", parse_id, ("id",)),
    Parser("groups", parse_groups, ("getent group",), ("/etc/group",)),
)
