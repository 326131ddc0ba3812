"""The JSON Schema of report.json, published as docs/report.schema.json. Unknown keys may be added at any time."""

import json
from typing import Final

from domain.codec import Json
from domain.diagnosis import Verdict
from domain.entity import KINDS
from domain.evidence import Severity
from domain.fault import FAMILIES

Schema = dict[str, Json]
TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer", "minimum": 0}
NUMBER: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
ANY: Final[Schema] = {}
MOMENT: Final[Schema] = {"type": "string", "format": "date-time"}
SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
ENTITY: Final[Schema] = {"type": "string", "maxLength": 120, "pattern": rf"^({'|'.join(KINDS)}):[^,;|\r\n]+$"}
FAULT: Final[Schema] = {"type": "string", "pattern": rf"^({'|'.join(FAMILIES)})(\.[a-z0-9_]+){{1,2}}$"}
CITED: Final[Schema] = {"type": "array", "items": {"type": "integer", "minimum": 1}}


def schema() -> Schema:
    """The schema of report.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fishbone report",
        "description": "What an investigation found. Citations are numbered from 1 in order of first use.",
        **_with_optional(
            {"comparison": _comparison()},
            verdict={"enum": [verdict.value for verdict in Verdict]},
            next_check=TEXT,
            why=TEXT,
            incident=_incident(),
            root_cause=optional(_root_cause()),
            hypotheses=each(_hypothesis()),
            ruled_out=each(TEXT),
            evidence=each(_evidence()),
            unverified=each(TEXT),
            citations=each(_citation()),
            coverage=each(_coverage()),
            gaps=each(record(what=TEXT, why=TEXT, tried=TEXT)),
            actions=each(_action()),
            runbooks=each(TEXT),
            alerts=each(record(fingerprint=TEXT, account=one_of("explained", "consistent", "not_explained"), by=TEXT)),
            run=_run(),
        ),
        "allOf": _rules(),
    }


def schema_text() -> str:
    """The text of docs/report.schema.json."""
    return json.dumps(schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def record(**properties: Schema) -> Schema:
    """An object with these properties, all required; others are allowed."""
    return {"type": "object", "required": sorted(properties), "properties": properties}


def _with_optional(more: dict[str, Schema], **properties: Schema) -> Schema:
    """The same, with properties that may be left out."""
    needed = record(**properties)
    return needed | {"properties": needed["properties"] | more}


def each(items: Schema) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items}


def optional(of: Schema) -> Schema:
    """That, or null."""
    return {"anyOf": [of, {"type": "null"}]}


def one_of(*words: str) -> Schema:
    """One of these words."""
    return {"enum": list(words)}


def _rules() -> list[Schema]:
    """What each verdict demands."""
    said = {"type": "string", "pattern": r"\S"}
    none = {"properties": {"fault": {"pattern": r"^none\."}}}
    return [
        _when(Verdict.UNDETERMINED, {"properties": {"root_cause": {"type": "null"}, "next_check": said}}),
        _when(Verdict.ROOT_CAUSE, {"properties": {"root_cause": {"type": "object", "not": none}}}),
        _when(Verdict.HEALTHY, {"properties": {"root_cause": {"type": "object", **none}}}),
    ]


def _when(verdict: Verdict, then: Schema) -> Schema:
    return {"if": {"properties": {"verdict": {"const": verdict.value}}}, "then": then}


def _incident() -> Schema:
    alert = record(
        source=TEXT, name=TEXT, severity=TEXT, status=one_of("firing", "resolved"), fingerprint=TEXT,
        starts_at=optional(MOMENT), ends_at=optional(MOMENT),
        labels={"type": "object", "additionalProperties": TEXT},
        annotations={"type": "object", "additionalProperties": TEXT},
    )  # fmt: skip
    window = record(start=MOMENT, end=MOMENT)
    return record(id=TEXT, title=TEXT, fired_at=MOMENT, window=window, timezone=TEXT, notes=TEXT, alerts=each(alert))


def _root_cause() -> Schema:
    link = record(entity=ENTITY, fault=TEXT, statement=TEXT, citations=CITED)
    return record(entity=ENTITY, fault=FAULT, summary=TEXT, confidence=SHARE, chain=each(link))


def _hypothesis() -> Schema:
    link = record(entity=ENTITY, fault=TEXT, statement=TEXT, citations=CITED)
    return record(
        entity=ENTITY, fault=FAULT, summary=TEXT, score=NUMBER, supports=each(TEXT), contradicts=each(TEXT),
        runbook=TEXT, chain=each(link),
    )  # fmt: skip


def _evidence() -> Schema:
    finding = record(
        entity=ENTITY, kind=TEXT, statement=TEXT, onset=optional(MOMENT),
        severity=one_of(*(severity.value for severity in Severity)), citations=CITED,
    )  # fmt: skip
    return record(agent=TEXT, by=TEXT, conclusion=TEXT, findings=each(finding))


def _citation() -> Schema:
    return record(
        id={"type": "integer", "minimum": 1}, call_id=TEXT, tool=TEXT, arguments={"type": "object"}, source=TEXT,
        line=optional(WHOLE), quote=optional({"type": "string", "minLength": 1, "maxLength": 300}),
        path=optional(TEXT), value=ANY, result_sha256=TEXT,
    )  # fmt: skip


def _coverage() -> Schema:
    return record(
        call_id=TEXT, source=TEXT, window=TEXT, filter=TEXT, matched=optional(WHOLE), returned=optional(WHOLE),
        truncated=FLAG, status=one_of("ok", "no_data", "error", "denied", "invalid", "timeout", "unavailable"),
    )  # fmt: skip


def _action() -> Schema:
    return record(
        when=one_of("now", "next", "prevention"), text=TEXT, command=TEXT,
        risk=one_of("read", "low", "medium", "high"), runbook=TEXT, citations=CITED,
    )  # fmt: skip


def _comparison() -> Schema:
    """Only of reports for which a model has looked, too."""
    opinion = record(
        by=TEXT, verdict={"enum": [verdict.value for verdict in Verdict]}, entity=TEXT, fault=TEXT, confidence=SHARE,
        findings=WHOLE, unsupported=WHOLE,
    )  # fmt: skip
    return record(
        analyst=opinion, model=opinion, agreement=one_of("cause", "entity", "verdict", "open", "none"), shared=WHOLE,
        only_analyst=each(TEXT), only_model=each(TEXT),
    )  # fmt: skip


def _run() -> Schema:
    checks = record(statements=WHOLE, cited=WHOLE, verified=WHOLE, struck=WHOLE)
    return record(
        investigation=TEXT, started_at=TEXT, seconds=NUMBER, models=each(TEXT), contract=TEXT, fingerprint=TEXT,
        tokens=WHOLE, cost=NUMBER, tool_calls=WHOLE, checks=checks,
    )  # fmt: skip
