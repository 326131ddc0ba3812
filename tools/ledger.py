"""What was called and what came of it: the memory of one investigation's calls."""

from collections.abc import Awaitable, Callable, Iterable
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
        self._before: dict[str, int] = {}  # how many calls each agent had made in earlier passes
        self._entries: dict[str, Entry] = {}

    def next_id(self, agent: str) -> str:
        """`<agent>.<n>`, n from 1."""
        self._numbers[agent] = self._numbers.get(agent, 0) + 1
        return f"{agent}.{self._numbers[agent]}"

    def made(self, agent: str) -> int:
        """How many calls the agent has made."""
        return self._numbers.get(agent, 0)

    def begin_pass(self) -> None:
        """What was called so far is an earlier pass's: it is kept, counts for no budget, and is not rewound."""
        self._before = dict(self._numbers)

    def of_this_pass(self, call_id: str) -> bool:
        """Whether the call was made since the pass began."""
        agent, number = _order(call_id)
        return number > self._before.get(agent, 0)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Remember the calls that an earlier worker made; numbering goes on after the last."""
        for entry in entries:
            agent, number = _order(entry.result.call_id)
            self._entries[entry.result.call_id] = entry
            self._numbers[agent] = max(self.made(agent), number)

    def rewind(self, agent: str, made: int) -> None:
        """Forget the agent's calls after so many: those of a step that was cut off and is now done again. Those of
        earlier passes stay."""
        made = max(made, self._before.get(agent, 0))
        for number in range(made + 1, self.made(agent) + 1):
            self._entries.pop(f"{agent}.{number}", None)
        self._numbers[agent] = made

    def spent(self, agent: str) -> int:
        """How many characters the agent was shown in this pass."""
        shown = (e for key, e in self._entries.items() if _order(key)[0] == agent and self.of_this_pass(key))
        return sum(len(e.result.text) for e in shown)

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
