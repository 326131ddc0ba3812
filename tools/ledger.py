"""What was called and what came of it: the memory of one investigation's calls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from domain.tool import Caller, ToolResult


@dataclass(frozen=True)
class Entry:
    """One call, refused and failed ones too."""

    caller: Caller
    result: ToolResult
    started_at: float  # epoch seconds


Keep = Callable[[Entry], Awaitable[None]]


class Ledger:
    """Numbers calls, keeps their results, and hands each entry on to where it is stored."""

    def __init__(self, keep: Keep | None = None) -> None:
        self._keep = keep
        self._numbers: dict[str, int] = {}
        self._entries: dict[str, Entry] = {}

    def next_id(self, agent: str) -> str:
        """`<agent>.<n>`, n from 1."""
        self._numbers[agent] = self._numbers.get(agent, 0) + 1
        return f"{agent}.{self._numbers[agent]}"

    async def add(self, caller: Caller, result: ToolResult, started_at: float) -> None:
        """Remember the call, and store it."""
        entry = Entry(caller, result, started_at)
        self._entries[result.call_id] = entry
        if self._keep is not None:
            await self._keep(entry)

    def result(self, call_id: str) -> ToolResult | None:
        """The result with this id."""
        entry = self._entries.get(call_id)
        return entry.result if entry else None

    def entries(self) -> list[Entry]:
        """All entries, by agent in order of name, then by number."""
        return [self._entries[key] for key in sorted(self._entries, key=_order)]


def _order(call_id: str) -> tuple[str, int]:
    agent, _, number = call_id.rpartition(".")
    return agent, int(number)
