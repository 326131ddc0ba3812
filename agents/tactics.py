"""Finds an agent's tactic: the module of its name under agents/offline, or the plain one for an agent without."""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from agents import plainly
from agents.tactic import Step
from domain.errors import InvalidAgentFile


def tactic_of(agent: str) -> Step:
    """The agent's `step`. Raises InvalidAgentFile for a module without one."""
    name = f"agents.offline.{agent}"
    if find_spec(name) is None:
        return plainly.step
    step = getattr(import_module(name), "step", None)
    if step is None:
        raise InvalidAgentFile(f"agents/offline/{agent}.py: has no function `step`")
    return cast(Step, step)
