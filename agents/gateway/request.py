"""What goes out for one attempt: by the profile, never a forced choice, never an empty list, never a stream."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import BaseMessage

from agents.gateway.ask import Call
from agents.gateway.known import Known
from agents.gateway.profiles import Profile, Rung
from agents.gateway.texts import with_words

_LEAST_OUTPUT: Final = 1024  # a window that is assumed too small must not starve the answer
_BY_RUNG: Final = {
    Rung.OBJECT: "Answer with one JSON object that follows this JSON Schema, and nothing else:\n{schema}",
    Rung.TEXT: "Answer with one JSON object that follows this JSON Schema, between ```json and ```, and nothing "
    "else:\n{schema}",
}
_PLAIN: Final = ("type", "description", "enum", "required")


@dataclass(frozen=True)
class Request:
    """One attempt."""

    messages: list[BaseMessage]
    body: dict[str, Any]  # keys beyond those that LangChain knows
    limit: int  # tokens of the answer
    tools: list[dict[str, Any]]
    rung: Rung | None  # in which form one JSON object is asked for; None: it is not


def request(call: Call, known: Known) -> Request:
    """The call as this server takes it."""
    ask, profile = call.ask, known.profile
    rung = rung_of(call, profile)
    body = {**profile.body, **(profile.tools_body if ask.tools else {}), **(profile.schema_body if ask.schema else {})}
    messages = list(ask.messages)
    if ask.schema is not None and rung is not None:
        body |= _response_format(rung, ask.schema)
        messages = _told(messages, rung, ask.schema)
    tools = [_flat_tool(tool) for tool in ask.tools] if profile.flat else list(ask.tools)
    return Request(messages, body, _limit(call, known), tools, rung)


def rung_of(call: Call, profile: Profile) -> Rung | None:
    """The best form that is left."""
    if call.ask.schema is None:
        return None
    rungs = list(Rung)
    given_up = -1 if call.below is None else rungs.index(call.below)
    return rungs[min(max(rungs.index(profile.structured), given_up + 1), len(rungs) - 1)]


def _limit(call: Call, known: Known) -> int:
    if call.limit:
        return call.limit
    room = known.window - call.estimated
    return min(known.max_output, max(room, _LEAST_OUTPUT))


def _response_format(rung: Rung, schema: Mapping[str, Any]) -> dict[str, Any]:
    if rung is Rung.SCHEMA:
        told = {"name": "answer", "schema": schema, "strict": _is_strict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": told}}
    return {"response_format": {"type": "json_object"}} if rung is Rung.OBJECT else {}


def _told(messages: list[BaseMessage], rung: Rung, schema: Mapping[str, Any]) -> list[BaseMessage]:
    """The schema in words, where the server does not hold the model to it."""
    if rung not in _BY_RUNG:
        return messages
    words = _BY_RUNG[rung].format(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
    return with_words(messages, words)


def _is_strict(schema: object) -> bool:
    """Whether it fits OpenAI's strict mode: objects are closed, and all that they name is required."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        closed = schema.get("additionalProperties") is False
        if not closed or set(properties) != set(schema.get("required") or ()):
            return False
        return all(map(_is_strict, properties.values())) and _is_strict(schema.get("$defs") or {})
    if schema.get("type") == "object":
        return False
    return all(map(_is_strict, schema.values()))


def _flat_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = tool["function"]
    return {"type": "function", "function": {**function, "parameters": _flat(function.get("parameters") or {})}}


def _flat(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Only what every grammar compiler takes; of alternatives the first that is not null."""
    options = [each for each in (schema.get("anyOf") or schema.get("oneOf") or ()) if each.get("type") != "null"]
    if options:
        return _flat({**options[0], **{k: v for k, v in schema.items() if k == "description"}})
    flat = {key: schema[key] for key in _PLAIN if key in schema}
    if "properties" in schema:
        flat["properties"] = {name: _flat(each) for name, each in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        flat["items"] = _flat(schema["items"])
    return flat
