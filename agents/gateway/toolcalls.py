"""Tool calls out of a raw answer: unique ids, and arguments that are strict JSON objects or nothing."""

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import InvalidToolCall, ToolCall

from domain.codec import Json

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_WRITTEN: Final = re.compile(r"<tool_call>((?:(?!</?tool_call>).)*)(?:</tool_call>|\Z)", re.DOTALL)
_WRITTEN_TAIL: Final = re.compile(rf"(?:{_WRITTEN.pattern}\s*)+\Z", re.DOTALL)
CUT_OFF: Final = "the answer's limit was reached in the middle of these arguments: ask for less, or use fewer words"
NONE_OFFERED: Final = "no tools are offered now: answer with what you know"


@dataclass(frozen=True)
class Found:
    """The calls of one answer, in LangChain's form."""

    valid: tuple[ToolCall, ...] = ()
    broken: tuple[InvalidToolCall, ...] = ()


def tool_calls(raw: object, *, cut: bool = False) -> Found:
    """The calls that an answer holds. `cut`: its limit was reached, so that the last call may be half of one."""
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        return Found()
    read = [_call(each, cut) for each in raw]
    seen: set[str] = set()
    for call in read:
        call["id"] = _unique(call["id"], seen)
    return Found(
        tuple(call for call in read if call["type"] == "tool_call"),
        tuple(call for call in read if call["type"] == "invalid_tool_call"),
    )


def withheld(found: Found) -> Found:
    """The calls of an answer where none was offered: all are broken."""
    refused = (_broken(call["name"], call["args"], call["id"], NONE_OFFERED) for call in found.valid)
    told = (_broken(call["name"], call["args"], call["id"], NONE_OFFERED) for call in found.broken)
    return Found((), (*refused, *told))


def written(text: str) -> tuple[str, Found]:
    """Calls that a template left in the text: the text without them, and the calls.

    Only where they end the text and stand in no fence, so that a quoted one is no call.
    """
    tail = _WRITTEN_TAIL.search(text) if "<tool_call>" in text else None
    if tail is None or text[: tail.start()].count("```") % 2:
        return text, Found()
    return text[: tail.start()].rstrip(), tool_calls([_raw(each) for each in _WRITTEN.findall(tail[0])])


def arguments(raw: object) -> dict[str, Json] | str:
    """Arguments as an object, or in one line why they are none. An object and a double-encoded one are taken."""
    value: object = raw
    for _ in range(2):  # some servers encode twice
        if not isinstance(value, str):
            break
        if not value.strip():
            return {}
        try:
            value = json.loads(value, parse_constant=_no_constant, object_pairs_hook=_no_twins)
        except (ValueError, RecursionError) as exc:
            return f"the arguments are no JSON ({' '.join(str(exc).split())[:100]}): send one JSON object"
    if value is None:
        return {}
    if isinstance(value, dict):
        return {str(key): given for key, given in value.items()}
    return f"the arguments are a {_kind(value)}: send one JSON object"


def _call(each: object, cut: bool) -> ToolCall | InvalidToolCall:
    given = each if isinstance(each, Mapping) else {}
    inner = given.get("function")
    function = inner if isinstance(inner, Mapping) else given
    name, raw = function.get("name"), function.get("arguments")
    read = arguments(raw)
    problem = _problem(name, raw, read, cut)
    if problem or isinstance(read, str) or not isinstance(name, str):
        return _broken(name, raw, given.get("id"), problem)
    return ToolCall(type="tool_call", name=name, args=read, id=given.get("id"))


def _broken(name: object, raw: object, id: str | None, error: str) -> InvalidToolCall:
    told = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
    safe = name if isinstance(name, str) and _NAME.fullmatch(name) else "unnamed"  # it is sent back in the history
    return InvalidToolCall(type="invalid_tool_call", name=safe, args=told, id=id, error=error)


def _problem(name: object, raw: object, read: object, cut: bool) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "the call names no tool: send the name of one that is offered"
    if cut and (isinstance(read, str) or raw in ("", None)):
        return CUT_OFF
    return read if isinstance(read, str) else ""


def _unique(id: object, seen: set[str]) -> str:
    """The id, or a new one where it is missing, taken or of a strange form."""
    known = id if isinstance(id, str) and 0 < len(id) <= 128 and id.strip() == id and id not in seen else ""
    fresh = known or f"call_{uuid.uuid4().hex[:24]}"
    seen.add(fresh)
    return fresh


def _raw(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if isinstance(read, dict) and isinstance(read.get("name"), str):
        return {"id": None, "function": {"name": read["name"], "arguments": read.get("arguments", {})}}
    return {"id": None, "function": {"name": "unreadable", "arguments": text}}


def _kind(value: object) -> str:
    return {list: "list", str: "text", bool: "truth value", int: "number", float: "number"}.get(type(value), "value")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two values under one name: nobody knows which one is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found
