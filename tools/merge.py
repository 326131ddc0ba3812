"""Answers of several hosts to one call, as one: lists joined, what was searched added up."""

from typing import Any

from domain.codec import Json
from domain.errors import ToolError

Answer = Json | ToolError


def merged(answers: dict[str, Answer]) -> Json:
    """The answers by server as one result; a server that failed is a problem. Raises when all of them failed."""
    good = {server: answer for server, answer in answers.items() if not isinstance(answer, ToolError)}
    failed = [f"{server}: {answer}" for server, answer in answers.items() if isinstance(answer, ToolError)]
    if not good:
        raise next(answer for answer in answers.values() if isinstance(answer, ToolError))
    whole: dict[str, Any] = {}
    for server, answer in good.items():
        for name, value in answer.items():
            whole[name] = _joined(whole[name], value, server) if name in whole else value
    problems = [*whole.get("searched", {}).get("problems", ()), *failed]
    return whole | {"searched": whole.get("searched", {}) | {"problems": problems}}


def _joined(before: Json, value: Json, server: str) -> Json:
    if isinstance(before, list) and isinstance(value, list):
        return [*before, *value]
    if isinstance(before, dict) and isinstance(value, dict):
        return _searched(before, value, server) if "source" in before and "matched" in before else before | value
    return before or value


def _searched(before: dict[str, Any], value: dict[str, Any], server: str) -> dict[str, Any]:
    added = {name: (before.get(name) or 0) + (value.get(name) or 0) for name in ("matched", "returned", "after_window")}
    problems = [*before.get("problems", ()), *(f"{server}: {problem}" for problem in value.get("problems", ()))]
    return before | added | {
        "source": ", ".join(part for part in (before["source"], value["source"]) if part),
        "truncated": bool(before.get("truncated") or value.get("truncated")),
        "problems": problems,
    }  # fmt: skip
