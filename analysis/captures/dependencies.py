"""diff of two lists of installed packages: which of them came in another version than before."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.captures.context import Context, Line, Parser
from domain.facts import Fact

# What lists a program's own dependencies, or the file that fixes them.
_LISTS: Final = re.compile(
    r"\b(?:pip3?|uv pip|python3? -m pip) (?:freeze|list)|\bnpm (?:ls|list)|\byarn list|\bpnpm (?:ls|list)|"
    r"\bgem list|\bbundle list|\bcomposer show|\bmvn dependency:|\bgo list -m|\bconda list|"
    r"requirements[\w.-]*\.(?:txt|lock)|package-lock\.json|(?:yarn|Gemfile|poetry|uv|composer)\.lock|freeze[\w.-]*"
)
_VERSION: Final = r"v?(?P<version>\d[\w.+!-]*)"
_ROWS: Final = tuple(
    re.compile(row)
    for row in (
        rf"(?P<name>[A-Za-z0-9][\w.-]*)=={_VERSION}(?:\s*[;#\\].*)?",
        rf"[\s├└│─┬+|`-]*(?P<name>@?[a-z0-9][\w./-]*)@{_VERSION}(?: \w+)?",
        rf"\*?\s*(?P<name>[A-Za-z0-9][\w.-]*) \((?:default: )?{_VERSION}(?:,[^)]*)?\)",
        rf"(?P<name>[A-Za-z0-9][\w.-]*/[\w.-]+)\s+{_VERSION}(?:\s.*)?",
        rf"(?P<name>[A-Za-z0-9][\w.-]*)\s+{_VERSION}",
    )
)
_SIDE: Final = re.compile(r"(?P<side>[<>+-])\s?(?P<row>[^<>+-].*?)\s*$")


def parse(text: str, context: Context) -> list[Fact]:
    """One package fact for each that stands on both sides in two versions, or on one side only."""
    if not _LISTS.search(context.command.line):
        return []
    old: dict[str, tuple[str, Line]] = {}
    new: dict[str, tuple[str, Line]] = {}
    for line, is_old, name, version in _changed(text, context):
        (old if is_old else new)[name] = (version, line)
    return [
        context.fact(
            "package",
            context.place,
            new[name][1],
            name=name,
            version=new[name][0],
            previous=old[name][0] if name in old else None,
            action="changed" if name in old else "added",
        )
        for name in new
        if name not in old or old[name][0] != new[name][0]
    ]


def _changed(text: str, context: Context) -> Iterator[tuple[Line, bool, str, str]]:
    for line in context.lines(text):
        side = _SIDE.match(line.text)
        if side and (row := next((match for row in _ROWS if (match := row.fullmatch(side["row"]))), None)):
            yield line, side["side"] in "<-", row["name"], row["version"]


PARSERS: Final = (Parser("packages that changed", parse, ("diff", "git diff", "comm")),)
