"""Read runbook files: front matter is validated once, here, and becomes a domain Runbook."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import re2
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from yaml import CSafeLoader

from analysis.patterns import compiled
from domain.errors import InvalidRunbook
from domain.facts import Attribute
from domain.runbook import Condition, MetricTest, Remedy, Runbook, Signature, StateTest

FILE: Final = "RUNBOOK.md"
_FENCE: Final = "---"
_TESTS: Final = ("above", "below", "matches", "in", "not", "present", "contains")
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([-_.][a-z0-9]+)*$", max_length=80)]
Sentence = Annotated[str, Field(min_length=1, max_length=1000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class _State(_Strict):
    fact: str
    where: dict[str, Any] = Field(default_factory=dict)

    @field_validator("where")
    @classmethod
    def readable(cls, where: dict[str, Any]) -> dict[str, Any]:
        conditions(where)
        return where

    def domain(self) -> StateTest:
        return StateTest(self.fact, conditions(self.where))


class _Metric(_Strict):
    metric: str
    change: Literal["", "up", "down"] = ""
    score: float = Field(default=4.0, gt=0)
    above: float | None = None
    below: float | None = None
    ratio: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def says_something(self) -> "_Metric":
        if not self.change and self.above is None and self.below is None and self.ratio is None:
            raise ValueError("a metric test needs one of change, above, below, ratio")
        compiled(self.metric, ignore_case=True)
        return self


class _Signature(_Strict):
    id: Name
    reason: Sentence
    weight: float = Field(gt=0, le=1)
    text: str | None = None
    state: _State | None = None
    metric: _Metric | None = None
    entity: str = ""
    when: Literal["seen", "absent"] = "seen"
    sources: str = ""

    @model_validator(mode="after")
    def one_test(self) -> "_Signature":
        if sum(test is not None for test in (self.text, self.state, self.metric)) != 1:
            raise ValueError("a signature has exactly one of text, state, metric")
        if self.sources and self.text is None:
            raise ValueError("sources belongs to a text signature")
        compiled(self.text or "")
        return self

    def domain(self) -> Signature:
        return Signature(
            id=self.id,
            reason=self.reason,
            weight=self.weight,
            text=self.text,
            state=self.state.domain() if self.state else None,
            metric=MetricTest(**self.metric.model_dump()) if self.metric else None,
            entity=self.entity,
            when=self.when,
            sources=self.sources,
        )


class _Remedy(_Strict):
    text: Sentence
    command: str = ""
    risk: Literal["read", "low", "medium", "high"] = "read"

    def domain(self) -> Remedy:
        return Remedy(self.text, self.command, self.risk)


class _Remediation(_Strict):
    now: list[_Remedy] = Field(default_factory=list)
    next: list[_Remedy] = Field(default_factory=list)
    prevention: list[_Remedy] = Field(default_factory=list)


class _FrontMatter(_Strict):
    name: Name
    description: Sentence
    fault: str
    entity: str
    summary: Sentence
    alerts: list[str] = Field(default_factory=list)
    signatures: list[_Signature] = Field(default_factory=list)
    explains: list[str] = Field(default_factory=list)
    contradicts: list[_Signature] = Field(default_factory=list)
    allowed_tools: list[str] = Field(default_factory=list, alias="allowed-tools")
    remediation: _Remediation = Field(default_factory=_Remediation)
    checks: list[_Remedy] = Field(default_factory=list)

    @model_validator(mode="after")
    def consistent(self) -> "_FrontMatter":
        ids = [each.id for each in self.signatures + self.contradicts]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        if twice:
            raise ValueError(f"signature id used twice: {', '.join(twice)}")
        if any(each.when == "absent" for each in self.signatures):
            raise ValueError("`when: absent` stands only under contradicts")
        if any(each.when == "absent" and each.state is None for each in self.contradicts):
            raise ValueError("`when: absent` needs a state test: only facts show that something is not so")
        return self


class _Loader(CSafeLoader):
    """YAML where a key may stand only once: the second would silently win."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"key {key.value!r} stands twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep=deep))


def load(folders: Sequence[Path]) -> tuple[Runbook, ...]:
    """Every runbook of these folders, by name. Raises InvalidRunbook for the first that does not load."""
    found: dict[str, Runbook] = {}
    for file in files(folders):
        runbook = read(file)
        if runbook.name in found:
            raise InvalidRunbook(f"{file}: name: {runbook.name!r} is also the name of {found[runbook.name].folder}")
        found[runbook.name] = runbook
    return tuple(found[name] for name in sorted(found))


def files(folders: Iterable[Path]) -> list[Path]:
    """The runbook files of these folders. Raises InvalidRunbook where a folder is missing."""
    found: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise InvalidRunbook(f"{folder}: no such folder of runbooks")
        found.extend(sorted(folder.glob(f"*/{FILE}")))
    return found


def read(file: Path) -> Runbook:
    """One runbook. Raises InvalidRunbook with file and place."""
    front, body = _split(file)
    try:
        matter = _FrontMatter.model_validate(front)
    except ValidationError as exc:
        raise InvalidRunbook(f"{file}: {_first(exc)}") from exc
    if matter.name != file.parent.name:
        raise InvalidRunbook(f"{file}: name: {matter.name!r} must be the name of its folder, {file.parent.name!r}")
    return _runbook(matter, body, str(file.parent))


def read_yaml(file: Path, text: str, first_line: int = 1) -> Any:
    """YAML, strictly. Raises InvalidRunbook with file and line."""
    try:
        # The loader is a safe one: it builds plain values only.
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as exc:
        line = first_line + (exc.problem_mark.line if exc.problem_mark else 0)
        raise InvalidRunbook(f"{file}:{line}: not readable as YAML: {exc.problem or exc.context}") from exc
    except yaml.YAMLError as exc:
        raise InvalidRunbook(f"{file}:{first_line}: not readable as YAML: {' '.join(str(exc).split())}") from exc


def read_text(file: Path) -> str:
    """The file's text. Raises InvalidRunbook."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise InvalidRunbook(f"{file}: cannot be read: {exc}") from exc


def conditions(where: dict[str, Any]) -> tuple[Condition, ...]:
    """Conditions out of `{attribute: value}` and `{attribute: {test: value}}`. Raises ValueError."""
    return tuple(each for attribute, wanted in where.items() for each in _of_attribute(str(attribute), wanted))


def _of_attribute(attribute: str, wanted: Any) -> list[Condition]:
    if isinstance(wanted, list):
        raise ValueError(f"{attribute}: write {{in: [...]}} for a choice of values")
    if not isinstance(wanted, dict):
        return [_equal(attribute, wanted, negate=False)]
    if not wanted:
        raise ValueError(f"{attribute}: no test; write one of {', '.join(_TESTS)}")
    return [_condition(attribute, str(test), value) for test, value in wanted.items()]


def _condition(attribute: str, test: str, value: Any, negate: bool = False) -> Condition:
    if test == "not" and not negate:
        return _negated(attribute, value)
    if test in ("above", "below") and isinstance(value, int | float) and not isinstance(value, bool):
        limits = {"above": float(value)} if test == "above" else {"below": float(value)}
        return Condition(attribute, negate=negate, **limits)  # type: ignore[arg-type]
    if test == "matches" and isinstance(value, str) and value:
        compiled(value)
        return Condition(attribute, matches=value, negate=negate)
    if test == "contains" and isinstance(value, str) and value:
        return Condition(attribute, matches=re2.escape(value), negate=negate)
    if test == "in" and isinstance(value, list) and value:
        return Condition(attribute, one_of=tuple(_scalar(attribute, each) for each in value), negate=negate)
    if test == "present" and isinstance(value, bool):
        return Condition(attribute, present=value, negate=negate)
    raise ValueError(f"{attribute}: {test}: {value!r} is no test; the tests are {', '.join(_TESTS)}")


def _negated(attribute: str, value: Any) -> Condition:
    if isinstance(value, list):
        return _condition(attribute, "in", value, negate=True)
    if not isinstance(value, dict):
        return _equal(attribute, value, negate=True)
    if len(value) != 1:
        raise ValueError(f"{attribute}: not: takes one test")
    ((test, inner),) = value.items()
    return _condition(attribute, str(test), inner, negate=True)


def _equal(attribute: str, value: Any, *, negate: bool) -> Condition:
    if value is None:
        return Condition(attribute, present=negate)
    return Condition(attribute, equals=_scalar(attribute, value), negate=negate)


def _scalar(attribute: str, value: Any) -> Attribute:
    if isinstance(value, str | int | float | bool):
        return value
    raise ValueError(f"{attribute}: {value!r} is no plain value; put quotes around dates and times")


def _split(file: Path) -> tuple[Any, str]:
    """Front matter and body."""
    lines = read_text(file).splitlines(keepends=True)
    if not lines or lines[0].rstrip() != _FENCE:
        raise InvalidRunbook(f"{file}:1: a runbook starts with front matter between two lines of {_FENCE}")
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            front = read_yaml(file, "".join(lines[1:number]), first_line=2)
            return front, "".join(lines[number + 1 :]).strip() + "\n"
    raise InvalidRunbook(f"{file}:{len(lines)}: the front matter has no closing {_FENCE}")


def _first(exc: ValidationError) -> str:
    """Place and reason of the first error."""
    error = exc.errors()[0]
    place = ".".join(str(part) for part in error["loc"]) or "front matter"
    return f"{place}: {error['msg'].removeprefix('Value error, ')}"


def _runbook(matter: _FrontMatter, body: str, folder: str) -> Runbook:
    return Runbook(
        name=matter.name,
        description=matter.description,
        fault=matter.fault,
        entity=matter.entity,
        summary=matter.summary,
        alerts=tuple(matter.alerts),
        signatures=tuple(each.domain() for each in matter.signatures),
        explains=tuple(matter.explains),
        contradicts=tuple(each.domain() for each in matter.contradicts),
        allowed_tools=tuple(matter.allowed_tools),
        now=tuple(each.domain() for each in matter.remediation.now),
        next=tuple(each.domain() for each in matter.remediation.next),
        prevention=tuple(each.domain() for each in matter.remediation.prevention),
        checks=tuple(each.domain() for each in matter.checks),
        body=body,
        folder=folder,
    )
