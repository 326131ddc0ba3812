"""Tools as a model is offered them: the same names and arguments, in as few tokens as their schemas can be said."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agents.offline.log import looked_for
from domain.codec import Json
from domain.runbook import Runbook
from domain.tool import ToolResult, ToolSpec

NOT_NARROWING: Final = frozenset({"moment", "top"})  # arguments with which a call still asks for all there is
MATCH: Final = "logs_match"
# Facts that only our own validation needs: a model that breaks one is told so by the hub, which costs less than saying
# them all again with every call.
_UNSAID: Final = frozenset(
    {"title", "default", "maxLength", "minLength", "minItems", "maxItems", "minimum", "maximum", "format", "pattern"}
)

PLAIN: Final = frozenset({"top", "tail_n", "max_points", "max_chars", "call_id", "level"})  # their names say it
LONGEST: Final = 70  # characters of a clause that is worth its place in every call
_CLAUSE: Final = re.compile(r"[.;](?:\s|$)")

Presets = Mapping[str, dict[str, Json]]


def presets(knowledge: Iterable[Runbook]) -> Presets:
    """What a call says where the model says nothing. The signatures of all runbooks fill more than a small window.

    It is what the analyst's own call says: a recording answers both alike.
    """
    wanted = looked_for(knowledge)
    return {MATCH: {"signatures": wanted}} if wanted else {}


def filled(tool: str, arguments: dict[str, Json], given: Presets) -> dict[str, Json]:
    """The arguments of a call as it is made: nulls left out, presets put in."""
    said = {name: value for name, value in arguments.items() if value is not None}
    return {**given.get(tool, {}), **said}


def offer(tools: Mapping[str, ToolSpec], given: Presets) -> list[dict[str, Any]]:
    """The tools in the form that chat-completions servers take, by name. What an argument means is said once: many
    tools have the same."""
    told: set[tuple[str, str]] = set()
    return [_function(tools[name], given.get(name, {}), told) for name in sorted(tools)]


def done(made: Iterable[ToolResult], given: Presets) -> frozenset[str]:
    """Tools that have told all they know: asked for everything, they have answered. `read_result` reads it again, also
    a part of it; to offer the tool once more with every call would only cost."""
    return frozenset(result.tool for result in made if _told_all(result, given))


def _told_all(result: ToolResult, given: Presets) -> bool:
    whole = result.coverage is None or not result.coverage.truncated
    narrowed = set(result.arguments) - NOT_NARROWING - set(given.get(result.tool, {}))
    return result.status in ("ok", "no_data") and whole and not narrowed


def openai_tool(spec: ToolSpec) -> dict[str, Any]:
    """The tool with its schema as it is: the analyst's calls are made of the whole of it."""
    function = {"name": spec.name, "description": spec.description, "parameters": spec.input_schema}
    return {"type": "function", "function": function}


def _function(spec: ToolSpec, preset: Mapping[str, Json], told: set[tuple[str, str]]) -> dict[str, Any]:
    properties = {
        name: _new(name, _plain(schema, spec.input_schema.get("$defs", {})), told)
        for name, schema in spec.input_schema.get("properties", {}).items()
        if name not in preset
    }
    required = [name for name in spec.input_schema.get("required", []) if name not in preset]
    parameters = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    use = _CLAUSE.split(" ".join(spec.description.split()), maxsplit=1)[0]
    return {"type": "function", "function": {"name": spec.name, "description": use, "parameters": parameters}}


def _new(name: str, schema: dict[str, Json], told: set[tuple[str, str]]) -> dict[str, Json]:
    """The schema with the first clause of its description, unless an earlier tool's argument of this name has it."""
    bare = {key: value for key, value in schema.items() if key != "description"}
    clause = _CLAUSE.split(str(schema.get("description", "")), maxsplit=1)[0]
    said = (name, clause)
    if not clause or len(clause) > LONGEST or name in PLAIN or said in told:
        return bare
    told.add(said)
    return bare | {"description": clause}


def _plain(schema: Mapping[str, Json], defs: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of one argument, flat: no references, no null beside a type, nothing of `_UNSAID`."""
    if "$ref" in schema:
        schema = {**defs.get(schema["$ref"].rpartition("/")[2], {}), **{k: v for k, v in schema.items() if k != "$ref"}}
    for choice in schema.get("anyOf", []):
        if choice.get("type") != "null":
            schema = {**choice, **{k: v for k, v in schema.items() if k != "anyOf"}}
            break
    kept = {name: value for name, value in schema.items() if name not in _UNSAID}
    if isinstance(kept.get("type"), list):
        kept["type"] = next(kind for kind in kept["type"] if kind != "null")
    if "items" in kept:
        kept["items"] = _plain(kept["items"], defs)
    if "properties" in kept:
        kept["properties"] = {name: _plain(one, defs) for name, one in kept["properties"].items()}
    return kept
