"""What passes between the loop and any model: the task, fenced tool results, and the one message that is Evidence."""

import json
from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    InvalidToolCall,
    SystemMessage,
    ToolMessage,
)
from pydantic import ValidationError

from agents.gateway.texts import thoughts
from agents.tactic import Observation
from domain.codec import dumps, from_plain, to_plain
from domain.evidence import Evidence
from domain.plan import Task
from domain.tool import ToolResult

FENCE: Final = "untrusted-tool-result"


def opening(prompt: str, task: Task) -> list[AnyMessage]:
    """The system prompt and the task: all that an agent starts with."""
    return [SystemMessage(prompt), HumanMessage(dumps(task))]


def task_of(messages: list[AnyMessage]) -> Task:
    """The task in an agent's messages."""
    text = next(str(m.content) for m in messages if isinstance(m, HumanMessage))
    return from_plain(Task, json.loads(text))


def tool_message(result: ToolResult) -> ToolMessage:
    """A result as a model sees it (`content`) and as the analyst reads it (`artifact`)."""
    fenced = f"<{FENCE} call_id={result.call_id} tool={result.tool}>\n{_unfenced(result.text)}\n</{FENCE}>"
    artifact = {"call_id": result.call_id, "status": result.status, "data": result.data, "error": result.error}
    failed = result.status not in ("ok", "no_data")
    return ToolMessage(fenced, tool_call_id=result.call_id, name=result.tool, artifact=artifact,
                       status="error" if failed else "success")  # fmt: skip


def _unfenced(text: str) -> str:
    """The text, unable to close its own fence."""
    return text.replace(FENCE, "untrusted_tool_result")


def observations(messages: list[AnyMessage]) -> tuple[Observation, ...]:
    """Every tool call in the messages with its artifact, in order."""
    asked = {call["id"]: call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
    return tuple(_observation(m, asked) for m in messages if isinstance(m, ToolMessage) and m.artifact)


def _observation(message: ToolMessage, asked: Mapping[str | None, object]) -> Observation:
    artifact = message.artifact or {}
    call = asked.get(message.tool_call_id)
    arguments = call["args"] if isinstance(call, dict) else {}
    return Observation(
        artifact.get("call_id", message.tool_call_id), message.name or "", arguments, artifact.get("status", "error"),
        artifact.get("data"), artifact.get("error", ""),
    )  # fmt: skip


def refusal(call_id: str, tool: str, why: str) -> ToolMessage:
    """The answer to a call that was not made."""
    return ToolMessage(why, tool_call_id=call_id, name=tool, status="error")


def unreadable(bad: InvalidToolCall) -> str:
    """What a model is told of a call that could not be read."""
    why = bad["error"] or "its arguments are no JSON object"
    return f"This call could not be read: {why}. Write it again, its arguments as one JSON object."


def identified(answer: AIMessage, earlier: list[AnyMessage]) -> AIMessage:
    """The message with ids of its own, also for each call: answers find their calls by it, and some servers call all
    their messages the same."""
    taken = {call["id"] for m in earlier if isinstance(m, AIMessage) for call in (*m.tool_calls, *m.invalid_tool_calls)}
    calls = [{**call, "id": _own(call["id"], taken)} for call in answer.tool_calls]
    bad = [{**call, "id": _own(call["id"], taken)} for call in answer.invalid_tool_calls]
    return answer.model_copy(update={"id": str(uuid4()), "tool_calls": calls, "invalid_tool_calls": bad})


def _own(given: str | None, taken: set[str | None]) -> str:
    own = given if given and given not in taken else f"call-{uuid4().hex[:12]}"
    taken.add(own)
    return own


def inside(message: ToolMessage) -> tuple[str, str, str]:
    """A tool result's opening mark, text and closing mark; the marks are empty where nothing was fenced."""
    content = str(message.content)
    head, newline, rest = content.partition("\n")
    if not (newline and head.startswith(f"<{FENCE} ") and rest.endswith(f"\n</{FENCE}>")):
        return "", content, ""
    return f"{head}\n", rest.removesuffix(f"\n</{FENCE}>"), f"\n</{FENCE}>"


def call_id_of(message: ToolMessage) -> str:
    """The id that a citation names; nothing for a call that was not made."""
    return str((message.artifact or {}).get("call_id", ""))


def said(message: AIMessage) -> str:
    """What a model said, without what it only thought."""
    return thoughts(message.text)[0].strip()


def conclusion(evidence: Evidence) -> AIMessage:
    """Evidence as the message that the analyst concludes with."""
    return AIMessage(json.dumps(to_plain(evidence), ensure_ascii=False, sort_keys=True))


def parse_conclusion(message: AIMessage) -> Evidence | str:
    """The evidence in the analyst's last message, or in one line why there is none. What a model concludes with is
    read by `agents.answer`: it may not say all that Evidence holds."""
    try:
        return from_plain(Evidence, json.loads(message.text))
    except (ValueError, ValidationError) as exc:
        return f"the conclusion is no evidence: {' '.join(str(exc).split())[:200]}"
