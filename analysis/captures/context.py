"""What a parser is told of the text it reads, and how it makes facts that can be cited."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from typing import Any, Final, NamedTuple

from analysis.captures.command import Command
from analysis.lines.timestamps import Clock, parse_time
from domain.entity import entity
from domain.facts import Attribute, Fact

HOST: Final = "localhost"  # what a host is called of which no capture tells the name
QUOTE_MOST: Final = 300
QUOTE_LEAST: Final = 12
_PRINTERS: Final = (
    "cat",
    "grep",
    "egrep",
    "zgrep",
    "zcat",
    "head",
    "tail",
    "sed",
    "awk",
    "less",
    "more",
    "cut",
    "sort",
    "wc",
)
_NO_COMMAND: Final = Command()
_NO_CLOCK: Final = Clock(datetime(1970, 1, 1, tzinfo=UTC))
_UNTOLD: Final = ("", "<none>", "<unset>", "<nil>", "<no value>", "n/a", "N/A")


class Line(NamedTuple):
    """One raw line of a source."""

    number: int  # from 1
    text: str


@dataclass(frozen=True)
class Context:
    """Where a capture stands and what was asked."""

    source: str = ""  # path of the file from the bundle's root
    command: Command = _NO_COMMAND
    first_line: int = 1  # number of the text's first line in the file
    clock: Clock = _NO_CLOCK
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of a tool call, where a header tells them

    @property
    def host(self) -> str:
        """The entity of the machine the command ran on."""
        return entity("host", self.command.host or HOST)

    @property
    def place(self) -> str:
        """The container or pod the command ran in, else the machine."""
        return self.command.inside or self.host

    def lines(self, text: str) -> Iterator[Line]:
        """The lines of the text with their numbers in the file."""
        return (Line(self.first_line + at, line) for at, line in enumerate(text.split("\n")))

    def time(self, value: str | int | float | None) -> datetime | None:
        """When a value says it was."""
        return None if value in (None, "") else parse_time(value, self.clock)

    def fact(self, kind: str, of: str, line: Line | None, at: datetime | None = None, /, **attributes: Any) -> Fact:
        """A fact; attributes of which nothing is told are left out."""
        told = {name: value for name, value in attributes.items() if is_told(value)}
        number = None if line is None else line.number
        return Fact(kind, of, told, self.source, at, number, None if line is None else quote(line.text))


Parse = Callable[[str, Context], list[Fact]]


@dataclass(frozen=True)
class Parser:
    """One known output: which commands print it, how it looks, and who reads it."""

    name: str
    parse: Parse
    commands: tuple[str, ...] = ()  # program and words, such as `docker ps`; the longest that fits wins
    files: tuple[str, ...] = ()  # globs of files whose content cat, grep, head and the like print
    looks: re.Pattern[str] | None = None  # in the first lines of an output of which the command is unknown

    def fits(self, command: Command) -> int:
        """How well it fits a command: the number of its words, zero where it does not."""
        words = command.plain.split(" ")
        best = max(
            (len(known) for text in self.commands if (known := text.split(" ")) == words[: len(known)]), default=0
        )
        if command.program in _PRINTERS and any(fnmatch(path, glob) for path in command.paths() for glob in self.files):
            return max(best, 9)  # the file says more than the program that prints it
        return best


def is_told(value: Attribute) -> bool:
    """Whether an attribute says anything."""
    return value is not None and value not in _UNTOLD and value != []


def quote(text: str, span: str = "") -> str | None:
    """A verbatim piece of the line, 12 to 300 characters: around the span where the line is long."""
    stripped = text.strip()
    whole = stripped if len(stripped) >= QUOTE_LEAST else text.strip("\r\n")
    if not whole.strip():
        return None
    start = max(0, whole.find(span) - 40) if span and len(whole) > QUOTE_MOST else 0
    return whole[start : start + QUOTE_MOST]


def safe_entity(kind: str, name: object, otherwise: str = "") -> str:
    """The entity, or what stands in where the name is empty."""
    try:
        return entity(kind, str(name or ""))
    except ValueError:
        return otherwise or entity("host", HOST)


def first(values: Iterable[Any]) -> Any:
    """The first value that says anything."""
    return next((value for value in values if is_told(value)), None)
