"""The lines beside a runbook that show what its text signatures find and what they must not find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from domain.errors import InvalidRunbook
from rag.runbooks import files, read_text, read_yaml

FILE: Final = "examples.yaml"
_Line = Annotated[str, Field(min_length=1, pattern=r"^[^\r\n]+$")]


@dataclass(frozen=True)
class Example:
    """Lines for one text signature, as a program prints them."""

    program: str  # with its version
    fires: tuple[str, ...]
    misses: tuple[str, ...]


Examples = Mapping[str, Mapping[str, Example]]  # runbook -> signature id -> example


class _Example(BaseModel):
    model_config = ConfigDict(extra="forbid")
    program: str = Field(min_length=1)
    fires: list[_Line] = Field(default_factory=list)
    misses: list[_Line] = Field(default_factory=list)


_FORM: Final = TypeAdapter(dict[str, _Example])


def load_examples(folders: Sequence[Path]) -> dict[str, dict[str, Example]]:
    """The examples of all runbooks in these folders. Raises InvalidRunbook for a file that does not load."""
    beside = [runbook.parent / FILE for runbook in files(folders)]
    return {file.parent.name: _read(file) for file in beside if file.is_file()}


def _read(file: Path) -> dict[str, Example]:
    try:
        read = _FORM.validate_python(read_yaml(file, read_text(file)) or {})
    except ValidationError as exc:
        error = exc.errors()[0]
        place = ".".join(str(part) for part in error["loc"])
        raise InvalidRunbook(f"{file}: {place}: {error['msg']}") from exc
    return {key: Example(each.program, tuple(each.fires), tuple(each.misses)) for key, each in read.items()}
