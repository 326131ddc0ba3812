"""Whether any source looks at what an alert is about. Of a recorded incident all evidence is about it."""

from typing import Final

from analysis.case import Case
from analysis.machines import bare_name, machine
from domain.entity import kind_of, name_of

_CONNECT: Final = {
    "host": "run `fishbone mcp all --http` there and name it under `remote` (or, if it is a machine that is looked at, "
    "set `host_name`)",
    "container": "name the engine that runs it (`docker_host`), or its machine under `remote`",
    "pod": "name the machine that runs it under `remote`, or its cluster's MCP server under `foreign`",
}  # fmt: skip
_CONNECT_OTHER: Final = (
    "name its machine under `remote`, its logs in `log_globs`, or the Prometheus that has its metrics"
)


def unseen(case: Case, at: int) -> str:
    """The entity of the alert at this place that no source looks at; empty where one does, or nothing is named."""
    if not case.incident.seen:
        return ""
    named = case.names_of(at)
    on = case.on[at] if at < len(case.on) else ()
    if on and not any(_knows_machine(case, name) for name in on):
        return f"host:{on[0]}"
    return "" if not named or any(_knows(case, of) for of in named) else named[0]


def connect(of: str) -> str:
    """How a source is connected that looks at it."""
    return _CONNECT.get(kind_of(of), _CONNECT_OTHER)


def _knows(case: Case, of: str) -> bool:
    if kind_of(of) == "host":
        return _knows_machine(case, name_of(of))
    return case.inventory.resolve(of) is not None or name_of(of).lower() in case.names_found


def _knows_machine(case: Case, name: str) -> bool:
    known = machine(name, case.incident.seen) or case.inventory.resolve(name, "host")
    return bool(known) or not {name.lower(), bare_name(name)}.isdisjoint(case.names_found)
