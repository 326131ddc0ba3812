"""`read_result`: the middle of a result that was cut, by call id. The hub's own tool; it passes all stages like any."""

from dataclasses import dataclass
from typing import Final

import re2

from domain.codec import Json, to_plain
from domain.errors import InvalidToolInput
from domain.results import Line, Lines, Searched
from domain.tool import ToolResult, ToolSpec
from tools.call import Passing, Source
from tools.ledger import Ledger
from tools.rules import QUIET
from tools.views.table import VIEWS

NAME: Final = "read_result"
SPEC: Final = ToolSpec(
    name=NAME,
    server="hub",
    description="Read back a result of yours that was cut. Give its call_id, and grep (RE2), tail_n, or range 'A-B' of "
    "its lines (from 1); the first 200 lines come back otherwise.",
    input_schema={
        "type": "object",
        "properties": {
            "call_id": {"type": "string", "maxLength": 80},
            "grep": {"type": ["string", "null"], "maxLength": 1000},
            "tail_n": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000},
            "range": {"type": ["string", "null"], "pattern": r"^\d{1,9}-\d{1,9}$"},
        },
        "required": ["call_id"],
    },
    view="lines",
)
MOST_LINES: Final = 200
MOST_CHARS: Final = 4_000  # of one line


@dataclass(frozen=True)
class ReadBack:
    """Answers `read_result` from the ledger and leaves all else to the source beneath."""

    ledger: Ledger
    registry: dict[str, ToolSpec]
    beneath: Source

    async def answer(self, call: Passing) -> Json:
        """The asked-for lines of the whole text of a result."""
        if call.tool != NAME:
            return await self.beneath.answer(call)
        result = self._own(call)
        lines = whole_text(result, self.registry).splitlines()
        return to_plain(read(lines, result.call_id, call.arguments))

    def _own(self, call: Passing) -> ToolResult:
        asked = str(call.arguments["call_id"])
        result = self.ledger.result(asked)
        own = result is not None and asked.rpartition(".")[0] == call.caller.agent and self.ledger.of_this_pass(asked)
        if result is None or not own:
            raise InvalidToolInput(
                f"{call.caller.agent} has made no call {asked!r}; give the call_id of a result of yours"
            )
        return result


def whole_text(result: ToolResult, registry: dict[str, ToolSpec]) -> str:
    """The text of a result before it was cut."""
    spec = registry.get(result.tool)
    return VIEWS[spec.view](result.data) if spec and result.data is not None else result.text


def read(lines: list[str], call_id: str, arguments: dict[str, Json]) -> Lines:
    """The lines that grep, range and tail_n leave, in that order."""
    numbered = list(enumerate(lines, 1))
    if asked := arguments.get("range"):
        first, last = (int(part) for part in str(asked).split("-"))
        numbered = numbered[max(first, 1) - 1 : last]
    if pattern := arguments.get("grep"):
        found = re2.compile(str(pattern), QUIET)
        numbered = [(n, line) for n, line in numbered if found.search(line)]
    matched = len(numbered)
    tail = arguments.get("tail_n")
    numbered = numbered[-int(tail) :] if tail else numbered[:MOST_LINES]
    told = ", ".join(f"{k}={v}" for k, v in sorted(arguments.items()) if k != "call_id" and v is not None)
    searched = Searched(
        f"result {call_id}, {len(lines)} lines", "", told, matched, len(numbered), len(numbered) < matched
    )
    return Lines(tuple(Line(call_id, n, line[:MOST_CHARS]) for n, line in numbered), searched)
