"""Fill a runbook's sentence or command with the entity and the captures of what fired."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from domain.entity import name_of

_FIELD: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_OPTIONAL: Final = re.compile(r"\[\[([^\[\]]*\{[a-z][a-z0-9_]*\}[^\[\]]*)\]\]")
ALWAYS: Final = ("entity", "name")  # what every template may name


def fields(template: str) -> frozenset[str]:
    """The names in braces."""
    return frozenset(_FIELD.findall(template))


def fill(template: str, entity: str, captures: Mapping[str, str], quoted: Callable[[str], str] | None = None) -> str:
    """The template with every `{name}` filled in; `quoted` protects values in a command (shlex.quote).

    What stands in double square brackets is left out when one of its names is unknown. Anywhere else an unknown
    name becomes a neutral word, so that a sentence can always be read.
    """
    if captures.get("count") == "1":
        template = template.replace("{count} times", times(1))
    known = {key: value for key, value in captures.items() if value} | {"entity": entity, "name": name_of(entity)}

    def optional(match: re.Match[str]) -> str:
        return match[1] if fields(match[1]) <= known.keys() else ""

    def value(match: re.Match[str]) -> str:
        if match[1] not in known:
            return _neutral(match[1], command=quoted is not None)
        return quoted(known[match[1]]) if quoted else known[match[1]]

    return _FIELD.sub(value, _OPTIONAL.sub(optional, template))


def times(count: int) -> str:
    """`once`, `7 times`."""
    return "once" if count == 1 else f"{count} times"


def _neutral(name: str, *, command: bool) -> str:
    return name.upper() if command else f"the {name.replace('_', ' ')}"


def strip_fields(template: str) -> str:
    """The template's own words, for search: without optional parts and names in braces."""
    return " ".join(_FIELD.sub("", _OPTIONAL.sub("", template)).split())
