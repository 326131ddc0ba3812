"""Tools of foreign servers: a prefix, a pinned list, and grants that come from the settings only."""

import re
from collections.abc import Iterable
from typing import Any, Final

from mcp.types import Tool

from domain.codec import digest
from domain.errors import ToolUnavailable
from domain.tool import ToolSpec
from tools.targets import Foreign

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST: Final = 64  # what model endpoints take
_DESCRIPTION: Final = 2000  # characters; an operator has read it, or has not set the pin


def pin_of(tools: Iterable[Tool]) -> str:
    """The hash of names, descriptions and schemas: what a model is told of the tools."""
    listed = [[tool.name, tool.description or "", tool.input_schema] for tool in tools]
    return digest(sorted(listed, key=lambda one: str(one[0])))


def check_pin(server: str, tools: Iterable[Tool], pin: str) -> None:
    """Raises ToolUnavailable when the list is not the one that was pinned."""
    found = pin_of(tools)
    if not pin:
        raise ToolUnavailable(
            f"{server}: its tool list is not pinned; read it and set pin = {found!r} in [foreign.{server}]"
        )
    if found != pin:
        raise ToolUnavailable(
            f"{server}: its tool list has changed since it was pinned ({pin[:12]}); it is not used until somebody has "
            f"read the new one and set pin = {found!r} in [foreign.{server}]"
        )


def foreign_name(server: str, tool: str) -> str:
    """`<server>_<tool>`, in the letters that model endpoints take."""
    return _NO_NAME.sub("_", f"{server}_{tool}")[:_LONGEST]


def foreign_specs(server: str, tools: Iterable[Tool], foreign: Foreign) -> tuple[dict[str, ToolSpec], dict[str, str]]:
    """The granted tools by their names here, and what the server itself calls them."""
    specs: dict[str, ToolSpec] = {}
    own_names: dict[str, str] = {}
    for tool in tools:
        grant = foreign.grants.get(tool.name)
        if grant is None:
            continue
        name = foreign_name(server, tool.name)
        own_names[name] = tool.name
        specs[name] = ToolSpec(
            name, server, (tool.description or "")[:_DESCRIPTION], tool.input_schema, grant.access, "foreign",
            grant.timeout_seconds, grant.retries, grant.budget_chars, grant.roles, grant.view, foreign.pin[:12],
        )  # fmt: skip
    return specs, own_names


def data_of(structured: Any, texts: list[str]) -> Any:
    """What a foreign tool gave: its structured result, else its text."""
    return structured if structured is not None else {"text": "\n".join(texts)}
