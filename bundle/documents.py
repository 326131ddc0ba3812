"""Reads JSON, JSON lines, CSV and YAML, and says with file and line what is broken."""

import json
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, BinaryIO, Final, cast

import yaml

from analysis.text import clip, decode, looks_binary, strip_control
from bundle.chunks import chunks
from bundle.limits import Limits
from domain.codec import Json
from domain.errors import BadBundle

WELL_KNOWN: Final = (
    "changes.jsonl", "docker/containers.json", "docker/events.jsonl", "docker/stats.jsonl", "host/snapshot.json",
    "network/probes.json", "topology.yaml", "traces/spans.csv",
)  # fmt: skip
_PROBE = 4096  # bytes that tell text from other things
_PROBLEMS = 20  # broken lines that are named one by one


def json_of(name: str, raw: bytes, strict: bool = False) -> Json:
    """The JSON of a file; what is no number in JSON (NaN) becomes None, or is refused when `strict`."""
    text = _text(name, raw)
    if not text.strip():
        raise BadBundle(f"{name}:1: empty; write JSON")
    try:
        found = json.loads(text, parse_constant=_refuse if strict else _nothing)
    except json.JSONDecodeError as exc:
        raise BadBundle(f"{name}:{exc.lineno}: column {exc.colno}: broken JSON: {exc.msg}; mend that line") from exc
    except (ValueError, RecursionError) as exc:
        raise BadBundle(f"{name}: broken JSON: {_words(exc)}; write plain JSON") from exc
    return _whole_characters(found) if "\\ud" in text or "\\uD" in text else found


def yaml_of(name: str, raw: bytes) -> Json:
    """The YAML of a file."""
    try:
        return yaml.safe_load(_text(name, raw))
    except yaml.MarkedYAMLError as exc:
        line = exc.problem_mark.line + 1 if exc.problem_mark else 1
        raise BadBundle(f"{name}:{line}: broken YAML: {exc.problem}; mend that line") from exc
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        raise BadBundle(f"{name}:1: broken YAML: {_words(exc)}; write it as plain UTF-8") from exc


def jsonl_of(name: str, stream: BinaryIO, limits: Limits, problems: list[str] | None) -> Iterator[Json]:
    """One value for each line that is not blank."""
    broken = _Broken(problems)
    for number, line in lines_of(name, stream, limits):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_constant=_nothing)
        except (ValueError, RecursionError) as exc:
            broken.note(f"{name}:{number}: broken JSON: {_words(exc)}")
            continue
        yield _whole_characters(found) if "\\ud" in line or "\\uD" in line else found
    broken.sum_up(name)


def lines_of(name: str, stream: BinaryIO, limits: Limits) -> Iterator[tuple[int, str]]:
    """Every line with its number, plain and cut to the longest that is allowed. Raises BadBundle for a binary file."""
    if looks_binary(cast(BufferedReader, stream).peek(_PROBE)[:_PROBE]):
        raise BadBundle(f"{name}: is binary, no text")
    for chunk in chunks(stream, limits):
        lines = chunk.data.decode("utf-8", "replace").split("\n")
        if lines[-1] == "":
            lines.pop()
        for number, line in enumerate(lines, chunk.line):
            yield number, f"{line}\n"


class _Broken:
    """Broken lines: raised at once, or gathered for one who goes on without them."""

    def __init__(self, problems: list[str] | None) -> None:
        self._problems, self._count = problems, 0

    def note(self, problem: str) -> None:
        if self._problems is None:
            raise BadBundle(f"{problem}; mend that line")
        self._count += 1
        if self._count <= _PROBLEMS:
            self._problems.append(problem)

    def sum_up(self, name: str) -> None:
        if self._problems is not None and self._count > _PROBLEMS:
            self._problems.append(f"{name}: {self._count - _PROBLEMS} more broken lines")


def _text(name: str, raw: bytes) -> str:
    if looks_binary(raw):
        raise BadBundle(f"{name}: is binary, no text; write it as plain UTF-8")
    return decode(raw)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _nothing(_constant: str) -> None:
    return None


def _whole_characters(value: Json) -> Json:
    """The value with halves of surrogate pairs replaced, which no UTF-8 can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _words(error: BaseException) -> str:
    return clip(" ".join(strip_control(str(error)).split()), 200)
