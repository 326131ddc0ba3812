"""What passes between the loop and any model: the task, fenced tool results, and the one message that is Evidence."""

import json
import re
from collections.abc import Mapping
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import ValidationError

from agents.tactic import Observation
from domain.codec import dumps, from_plain, to_plain
from domain.evidence import Evidence
from domain.plan import Task
from domain.tool import ToolResult

FENCE: Final = "untrusted-tool-result"
_FENCED_JSON: Final = re.compile(r"```(?:json)?\s*\n(.*?)\n```", re.DOTALL)


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
    return tuple(_observation(m, asked) for m in messages if isinstance(m, ToolMessage))


def _observation(message: ToolMessage, asked: Mapping[str | None, object]) -> Observation:
    artifact = message.artifact or {}
    call = asked.get(message.tool_call_id)
    arguments = call["args"] if isinstance(call, dict) else {}
    return Observation(
        artifact.get("call_id", message.tool_call_id), message.name or "", arguments, artifact.get("status", "error"),
        artifact.get("data"), artifact.get("error", ""),
    )  # fmt: skip


def conclusion(evidence: Evidence) -> AIMessage:
    """Evidence as the message any model concludes with."""
    return AIMessage(json.dumps(to_plain(evidence), ensure_ascii=False, sort_keys=True))


def parse_conclusion(message: AIMessage) -> Evidence | str:
    """The evidence in a model's last message, or in one line why there is none."""
    text = str(message.content).strip()
    fenced = _FENCED_JSON.search(text)
    try:
        return from_plain(Evidence, json.loads(fenced.group(1) if fenced else text))
    except (ValueError, ValidationError) as exc:
        return f"the conclusion is no evidence: {' '.join(str(exc).split())[:200]}"
