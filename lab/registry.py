"""The faults of the lab: each is a file of lab/faults, known by the file's name."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from lab.scenario import Scenario

NAMES = sorted(path.stem for path in (Path(__file__).parent / "faults").glob("[a-z]*.py"))


def module(name: str) -> ModuleType:
    """The file of one fault."""
    return importlib.import_module(f"lab.faults.{name}")


def scenario(name: str) -> Scenario:
    """What the file says of its fault."""
    found: Scenario = module(name).SCENARIO
    return found


def faults() -> dict[str, Scenario]:
    """All scenarios by the name of their file."""
    return {name: scenario(name) for name in NAMES}
