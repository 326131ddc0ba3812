"""A model's conclusion: one small JSON object, and how it becomes Evidence that holds nothing which was not found."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.cited import proof
from agents.gateway.texts import parsed
from analysis.candidates import SYMPTOMS
from analysis.opinions import MODEL
from domain.codec import Json, dumps
from domain.entity import KINDS, is_entity, name_of
from domain.entity import entity as entity_of
from domain.evidence import Citation, Evidence, Finding, Gap, Severity
from domain.fault import is_none
from domain.plan import Task
from domain.runbook import Runbook
from domain.tool import ToolResult, ToolSpec
from tools.read_back import NAME as READ_RESULT

OBSERVATION: Final = "model.observation"  # a kind that informs: no cause is made of it
# Below what overturns an all-clear (analysis.health.NEAR_STRENGTH, 0.25) and above a bare passage (0.15): a model's
# word puts a cause on the list and alone stays below the bar; where two independent sources bear it, it may be told.
WEIGHT: Final = 0.2
# What only a comparison that code makes can say is taken down to what one line can show.
CLAIMED: Final = {"log.new": "log.error", "log.burst": "log.error", "log.gap": OBSERVATION}
MOST_FINDINGS: Final = 12
MOST_CITATIONS: Final = 4
MOST_QUESTIONS: Final = 5


def _text(most: int) -> dict[str, Json]:
    return {"type": "string", "maxLength": most}


def _object(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _list(of: Json, most: int) -> dict[str, Json]:
    return {"type": "array", "items": of, "maxItems": most}


CITATION: Final = _object(
    call_id=_text(40), quote=_text(300), path=_text(200), value={"type": ["string", "number", "boolean", "null"]}
)
FINDING: Final = _object(
    entity=_text(120),
    kind=_text(60),
    statement=_text(300),
    onset=_text(40),
    severity={"type": "string", "enum": [each.value for each in Severity]},
    citations=_list(CITATION, MOST_CITATIONS),
)
SCHEMA: Final = _object(
    conclusion=_text(600),
    findings=_list(FINDING, MOST_FINDINGS),
    open_questions=_list(_text(200), MOST_QUESTIONS),
    gaps=_list(_object(what=_text(120), why=_text(200)), MOST_QUESTIONS),
)


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Cited(_Loose):
    call_id: str
    quote: str | None = ""
    path: str | None = ""
    value: Any = None


class _Found(_Loose):
    entity: str
    kind: str = OBSERVATION
    statement: str = Field(min_length=1)
    onset: str | None = ""
    severity: str | None = ""
    citations: list[_Cited] = Field(default_factory=list)


class _Missed(_Loose):
    what: str
    why: str = ""


class _Answer(_Loose):
    conclusion: str = Field(min_length=1)
    findings: list[Any] = Field(default_factory=list)
    open_questions: list[str] = Field(default_factory=list)
    gaps: list[_Missed] = Field(default_factory=list)


@dataclass(frozen=True)
class Bench:
    """What an answer is judged by."""

    agent: str
    by: str  # the model's name
    task: Task
    results: Mapping[str, ToolResult]  # this agent's own, by call id
    registry: Mapping[str, ToolSpec]
    knowledge: tuple[Runbook, ...]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Each result as one text."""
        return {call_id: dumps(result.data) for call_id, result in self.results.items()}


def read_answer(text: str, bench: Bench) -> Evidence | str:
    """The evidence in a model's answer, or in one line why there is none."""
    try:
        answer = _Answer.model_validate(parsed(text))
    except (ValueError, ValidationError, RecursionError) as exc:
        return f"the conclusion is no evidence: {' '.join(str(exc).split())[:200]}"
    given, unread = _findings(answer.findings)
    judged = [_judged(one, bench) for one in given]
    struck = sum(len(one.citations[:MOST_CITATIONS]) for one in given) - sum(held for _, held in judged)
    findings = tuple(finding for finding, _ in judged)
    return _evidence(answer, findings, [*_struck(struck, unread, bench), *_gaps(answer, bench)], bench)


def _evidence(answer: _Answer, findings: tuple[Finding, ...], gaps: list[Gap], bench: Bench) -> Evidence:
    told = answer.conclusion[:600]
    if not any(finding.citations for finding in findings):
        # prose without a proven finding is a statement without a citation: it moves under "not verified" with them
        about = next(iter(bench.task.entities), "external:unknown")
        findings = (*findings, Finding(about, OBSERVATION, told))
        told = "Nothing that the model concluded could be verified against the stored results."
    return Evidence(bench.agent, bench.by, told, findings, tuple(gaps))


def _findings(given: Iterable[Any]) -> tuple[list[_Found], int]:
    """Those that can be read, and how many cannot."""
    read: list[_Found] = []
    unread = 0
    for one in list(given)[:MOST_FINDINGS]:
        try:
            read.append(_Found.model_validate(one))
        except ValidationError:
            unread += 1
    return read, unread


def _judged(given: _Found, bench: Bench) -> tuple[Finding, int]:
    """The finding with the citations that hold, and how many of those given hold."""
    proofs = [_proof(one, bench) for one in given.citations[:MOST_CITATIONS]]
    citations = tuple(dict.fromkeys(citation for each in proofs for citation in each))
    named = _entity(given.entity, bench)
    finding = Finding(
        named or _decent(given.entity, bench),
        _kind(given.kind, bench.knowledge),
        " ".join(given.statement.split())[:300],
        citations if named else (),
        _onset(given.onset or "", citations, bench),
        severity=_severity(given.severity),
        weight=WEIGHT,
        signature=MODEL,
    )
    return finding, sum(bool(each) for each in proofs)


def _proof(given: _Cited, bench: Bench) -> tuple[Citation, ...]:
    """What holds of a citation; one of a result that was read back is held against that result itself first."""
    result = bench.results.get(given.call_id.strip())
    again = bench.results.get(str(result.arguments.get("call_id"))) if result and result.tool == READ_RESULT else None
    for each in (again, result):
        if each and (found := proof(each, given.quote or "", given.path or "", given.value, bench.registry)):
            return found
    return ()


def _entity(given: str, bench: Bench) -> str:
    """The entity, when it is one that the alerts or this agent's results name; else nothing."""
    told = given.strip()
    known = next((each for each in bench.task.entities if told in (each, name_of(each))), "")
    if known or not is_entity(told):
        return known
    name = json.dumps(name_of(told), ensure_ascii=False)[1:-1]
    return told if any(name in text for text in bench.texts.values()) else ""


def _decent(given: str, bench: Bench) -> str:
    """Something well formed in the place of an entity that is none, for a statement that will not be verified."""
    kind, _, name = given.partition(":")
    try:
        return entity_of(kind if kind in KINDS else "external", name or given)
    except ValueError:
        return next(iter(bench.task.entities), "external:unknown")


def _kind(given: str, knowledge: tuple[Runbook, ...]) -> str:
    """A fault that a runbook knows, by its name or the runbook's; or a symptom kind; else a mere observation. A model
    does not say that all is well: an all-clear needs grounds that code has compared."""
    told = given.strip()
    fault = next((r.fault for r in knowledge if told == r.fault or told.partition("/")[0] == r.name), "")
    if fault and not is_none(fault):
        return fault
    return CLAIMED.get(told, told) if told in SYMPTOMS else OBSERVATION


def _onset(given: str, citations: tuple[Citation, ...], bench: Bench) -> datetime | None:
    """The moment, when a result that the finding cites says that minute; else it is not known."""
    try:
        moment = datetime.fromisoformat(given.strip())
    except ValueError:
        return None
    if moment.tzinfo is None or not bench.task.window.start <= moment <= bench.task.window.end:
        return None
    minute = re.compile(f"{moment:%Y-%m-%d}[T ]{moment:%H:%M}")
    return moment if any(minute.search(bench.texts[c.call_id]) for c in citations) else None


def _severity(given: str | None) -> Severity:
    return Severity(given) if given in set(Severity) else Severity.WARNING


def _struck(struck: int, unread: int, bench: Bench) -> Iterator[Gap]:
    if struck:
        what = f"{struck} {'citation' if struck == 1 else 'citations'} of the {bench.agent} agent"
        yield Gap(what, "not verified: no result of this agent says so", "struck")
    if unread:
        yield Gap(f"{unread} of the {bench.agent} agent's findings", "not in the form that was asked for", "left out")


def _gaps(answer: _Answer, bench: Bench) -> Iterator[Gap]:
    for missed in answer.gaps[:MOST_QUESTIONS]:
        yield Gap(missed.what[:120], missed.why[:200] or "the model gave no reason")
    for question in answer.open_questions[:MOST_QUESTIONS]:
        yield Gap(question[:200], f"left open by the {bench.agent} agent")
