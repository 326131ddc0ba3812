"""An answer that came as an event stream, although none was asked for: put together, with the largest usage."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.gateway.failures import Failure
from agents.gateway.usage import largest
from domain.errors import ModelFailed


def is_stream(text: str) -> bool:
    """Whether the body is an event stream."""
    return text.lstrip().startswith(("data:", "event:", ": "))


def assembled(text: str) -> dict[str, Any]:
    """The stream as one completion. Raises ModelFailed when it ended before the answer did."""
    chunks = list(_chunks(text))
    choices = [choice for chunk in chunks for choice in (chunk.get("choices") or []) if isinstance(choice, Mapping)]
    finish = next((choice["finish_reason"] for choice in choices if choice.get("finish_reason")), None)
    if finish is None:
        raise ModelFailed(Failure.CONNECTION, "the answer's stream ended before the answer did")
    deltas = [delta for choice in choices if isinstance(delta := choice.get("delta"), Mapping)]
    usage = [used for chunk in chunks if isinstance(used := chunk.get("usage"), Mapping)]
    choice = {"index": 0, "message": _message(deltas), "finish_reason": finish}
    return {"choices": [choice], "usage": largest(usage) if usage else None}


def _chunks(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        data = line.partition("data:")[2].strip() if line.startswith("data:") else ""
        if not data or data == "[DONE]":
            continue
        try:
            chunk = json.loads(data)
        except ValueError as exc:
            raise ModelFailed(Failure.CONNECTION, "the answer's stream was cut off") from exc
        if isinstance(chunk, dict):
            yield chunk


def _message(deltas: list[Mapping[str, Any]]) -> dict[str, Any]:
    texts = ("content", "reasoning_content", "reasoning", "refusal")
    said = {name: "".join(str(delta.get(name) or "") for delta in deltas) for name in texts}
    calls: dict[Any, dict[str, Any]] = {}
    for delta in deltas:
        for part in delta.get("tool_calls") or []:
            _add(calls, part)
    return {"role": "assistant", **{k: v for k, v in said.items() if v}, "tool_calls": list(calls.values())}


def _add(calls: dict[Any, dict[str, Any]], part: Mapping[str, Any]) -> None:
    """One piece of a call. A new id begins a new call also where the index is the same or missing."""
    function = part.get("function") or {}
    known = calls.get(part.get("index"))
    if known is None or (part.get("id") and part["id"] != known["id"]):
        key = part.get("index") if known is None else object()
        known = calls.setdefault(key, {"id": part.get("id"), "function": {"name": "", "arguments": ""}})
    if not known["function"]["name"]:  # some repeat it in later pieces
        known["function"]["name"] = function.get("name") or ""
    known["function"]["arguments"] += function.get("arguments") or ""
