"""Live facts as a result: what is later than now is withheld and counted, as over a bundle."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from domain.errors import ToolTimeout, ToolUnavailable
from domain.facts import Fact
from domain.results import Facts, Searched
from mcp_servers.live.watch import Watch

MOST_FACTS: Final = 3000
T = TypeVar("T")


def answer(
    facts: Sequence[Fact], watch: Watch, source: str, problems: Sequence[str] = (), asked: str = "", window: str = ""
) -> Facts:
    """The facts, with what was searched."""
    seen = [fact for fact in facts if fact.at is None or fact.at <= watch.end]
    kept = tuple(seen[:MOST_FACTS])
    searched = Searched(
        source=source,
        window=window,
        filter=asked,
        matched=len(seen),
        returned=len(kept),
        truncated=len(kept) < len(seen),
        after_window=len(facts) - len(seen),
        problems=tuple(dict.fromkeys(problems)),
    )
    return Facts(kept, searched)


def attempt(work: Callable[[], list[T]], problems: list[str]) -> list[T]:
    """What the work gives; nothing, and a problem, where its source is away."""
    try:
        return work()
    except (ToolUnavailable, ToolTimeout) as exc:
        problems.append(str(exc))
        return []
