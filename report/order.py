"""The order of agents and calls in every list of a report."""

from typing import Final

AGENTS: Final = ("log", "metric", "infra", "runbook")


def agent_order(agent: str) -> tuple[int, str]:
    """Where an agent's part stands: the four in their order, then anybody else by name."""
    return (AGENTS.index(agent) if agent in AGENTS else len(AGENTS), agent)


def call_order(call_id: str) -> tuple[int, str, tuple[int, ...], str]:
    """Where a call `<agent>.<n>` stands: by agent, then by number."""
    agent, _, rest = call_id.partition(".")
    numbers = tuple(int(part) for part in rest.split(".") if part.isascii() and part.isdigit())
    return (*agent_order(agent), numbers, call_id)
