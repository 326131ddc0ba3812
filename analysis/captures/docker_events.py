"""docker events: as JSON lines, and as the text that the command prints."""

import json
import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_TEXT: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\S+)\s+(container|image|network|volume|daemon|plugin)\s+(\S.*?)\s+(\S+)\s*(?:\((.*)\))?\s*$"
)
_KINDS: Final = {"container": "container", "network": "network", "volume": "volume", "daemon": "host"}


def parse(text: str, context: Context) -> list[Fact]:
    """One fact for each event."""
    return [fact for line in context.lines(text) if (fact := _line(line, context)) is not None]


def event_fact(document: dict[str, Any], context: Context, line: Line | None = None) -> Fact | None:
    """The fact of one event of the engine's API; None where it is no event."""
    action, kind = str(document.get("Action") or document.get("status") or ""), str(document.get("Type") or "container")
    actor = document.get("Actor") or {}
    if not action or not isinstance(actor, dict):
        return None
    attributes = {str(k): str(v) for k, v in (actor.get("Attributes") or {}).items()}
    told = attributes | {"image": attributes.get("image") or str(document.get("from") or "")}
    identity = str(actor.get("ID") or document.get("id") or "")
    at = context.time(document.get("timeNano") or document.get("time"))
    return _fact(context, line, at, kind, action, identity, told)


def _line(line: Line, context: Context) -> Fact | None:
    if line.text.startswith("{"):
        try:
            document = json.loads(line.text)
        except ValueError:
            return None
        return event_fact(document, context, line) if isinstance(document, dict) else None
    match = _TEXT.match(line.text)
    if match is None:
        return None
    stamp, kind, action, identity, rest = match.groups()
    attributes = dict(pair.split("=", 1) for pair in re.split(r", (?=[\w.-]+=)", rest or "") if "=" in pair)
    return _fact(context, line, context.time(stamp), kind, action, identity, attributes)


def _fact(
    context: Context, line: Line | None, at: Any, kind: str, action: str, identity: str, told: dict[str, str]
) -> Fact:
    verb, _, detail = action.partition(": ")
    name = told.get("name") or told.get("container", "")[:12] or identity[:12]
    return context.fact(
        "event",
        safe_entity(_KINDS.get(kind, "external"), name),
        line,
        at,
        type=kind,
        reason=verb,
        action=action,
        message=detail,
        object=identity,
        image=told.get("image"),
        exit_code=number(told.get("exitCode", "")),
        signal=told.get("signal"),
        component="docker",
    )


PARSERS: Final = (
    Parser("docker events", parse, ("docker events", "docker system events", "podman events"),
           looks=re.compile(r'\A(?:\{.*"Action":.*"Actor":|'
                            r'\d{4}-\d\d-\d\dT\S+ (?:container|image|network|volume) \S+ [0-9a-f]{12,64} )')),
)  # fmt: skip
