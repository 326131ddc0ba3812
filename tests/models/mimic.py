"""A model that behaves as a good one would: it makes the calls that the offline analyst made, one a turn, and concludes
with what the analyst found, cited from its own calls. It speaks the protocol, over a scripted server."""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.answer import MOST_CITATIONS, MOST_FINDINGS
from agents.files import AgentFile
from agents.gateway.tokens import tokens_of
from app.investigation import Outcome
from domain.evidence import Citation, Evidence, Finding
from tests.models.behaviours import completion, raw_call
from tests.models.server import Answer, Behaviour, Request

PRESET = {"logs_match": ("signatures",)}  # arguments that the loop fills in for a model


@dataclass
class Mimic:
    """One incident's good model; give it to `scripted(then=...)`."""

    prompts: Mapping[str, str]  # what an agent's system prompt begins with -> the agent
    calls: Mapping[str, list[tuple[str, dict[str, Any]]]]
    evidence: Mapping[str, Evidence]
    made: dict[str, int] = field(default_factory=dict)  # by agent
    answered: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, outcome: Outcome, agents: Mapping[str, AgentFile]) -> "Mimic":
        """After a run of the analyst."""
        calls: dict[str, list[tuple[str, dict[str, Any]]]] = {name: [] for name in agents}
        for entry in outcome.entries:
            if entry.caller.agent in calls:
                calls[entry.caller.agent].append((entry.result.tool, _said(entry.result.tool, entry.result.arguments)))
        return cls(
            {file.prompt.strip()[:60]: name for name, file in agents.items()}, calls,
            {each.agent: each for each in outcome.report.evidence},
        )  # fmt: skip

    def __call__(self, request: Request) -> Answer:
        """The agent's next call, or its conclusion."""
        agent = self.agent_of(request)
        with self._lock:
            self.answered += 1
            at = self.made.get(agent, 0)
            going_on = bool(request.tools) and at < len(self.calls[agent])
            self.made[agent] = at + going_on
        if going_on:
            tool, arguments = self.calls[agent][at]
            said: dict[str, Any] = {"content": None, "tool_calls": [raw_call(tool, json.dumps(arguments))]}
        else:
            said = {"content": json.dumps(self.conclusion(agent, at))}
        return completion(said, "tool_calls" if going_on else "stop", _usage(request, said))

    def agent_of(self, request: Request) -> str:
        """Whose system prompt it is."""
        told = str(request.messages[0]["content"])
        return next(name for begins, name in self.prompts.items() if begins in told)

    def conclusion(self, agent: str, made: int) -> dict[str, Any]:
        """What the analyst found, as a model says it, of the calls that were made."""
        evidence, before = self.evidence[agent], len(self.calls[agent])
        findings = [_finding(f, before, made) for f in sorted(evidence.findings, key=lambda f: -f.weight)]
        told = [each for each in findings if each["citations"]][:MOST_FINDINGS]
        return {
            "conclusion": evidence.conclusion[:600] or "Nothing was found.", "findings": told, "open_questions": [],
            "gaps": [],
        }  # fmt: skip


def _usage(request: Request, said: dict[str, Any]) -> dict[str, int]:
    """As a server counts whose tokenizer is our estimate."""
    read = sum(4 + tokens_of(str(m.get("content") or "")) + _called(m) for m in request.messages)
    read += sum(8 + tokens_of(json.dumps(tool, ensure_ascii=False)) for tool in request.body.get("tools", []))
    return {"prompt_tokens": read, "completion_tokens": tokens_of(str(said.get("content") or "")) + _called(said)}


def _called(message: dict[str, Any]) -> int:
    functions = [call["function"] for call in message.get("tool_calls") or []]
    return sum(8 + tokens_of(each["name"]) + tokens_of(str(each["arguments"])) for each in functions)


def _said(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in PRESET.get(tool, ())}


def _finding(finding: Finding, before: int, made: int) -> dict[str, Any]:
    onset = finding.onset.isoformat() if finding.onset else ""
    return {
        "entity": finding.entity, "kind": finding.kind, "statement": finding.statement[:300], "onset": onset,
        "severity": finding.severity.value,
        "citations": list(_citations(finding.citations, before, made))[:MOST_CITATIONS],
    }  # fmt: skip


def _citations(citations: Iterable[Citation], before: int, made: int) -> Iterable[dict[str, Any]]:
    """The same places in the calls that the model made itself: they are numbered on after the analyst's."""
    for citation in citations:
        agent, _, number = citation.call_id.rpartition(".")
        if int(number) <= made:
            yield {
                "call_id": f"{agent}.{int(number) + before}", "quote": citation.quote or "",
                "path": citation.path or "", "value": citation.value,
            }  # fmt: skip


def honest(behaviour: Behaviour) -> Behaviour:
    """The same behaviour, its usage as a server counts that has read all of the prompt."""

    def answer(request: Request) -> Answer:
        given = behaviour(request)
        try:
            body = json.loads(given.body)
            body["usage"] = _usage(request, body["choices"][0]["message"])
        except (ValueError, LookupError, TypeError):
            return given
        return given if given.reset_after is not None else replace(given, body=json.dumps(body).encode())

    return answer
