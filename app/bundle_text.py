"""The text of a recorded incident, as grading looks at it: what names and quotes must stand in."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from bundle.bundle import ALERT, Bundle
from bundle.manifest import FILE as MANIFEST
from domain.codec import Json
from domain.errors import BadBundle

QUOTE_LEAST: Final = 12  # characters of a quote that need not be a whole line
REDACTED_LEAST: Final = 6  # what must be left of a line besides its redactions
JOINTS: Final = re.compile(r"[ \t_./:@-]+")
_REDACTED: Final = re.compile(  # our own placeholder, and what other programs write in the place of a secret
    r"\[[^\[\]\n]*(?:redact|mask|remov|secret|hidden)[^\[\]\n]*\]|<[^<>\n]*(?:redact|mask|remov|hidden)[^<>\n]*>"
    r"|\{\{?[^{}\n]*(?:redact|mask)[^{}\n]*\}?\}|\*{3,}|█+|•{3,}|x{6,}",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")
_PACKED: Final = (".gz", ".zst")


class BundleText:
    """Every file of a bundle but its ground truth; read when it is asked for, and once."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._names = tuple(sorted({*bundle.files(), ALERT, MANIFEST}))
        self._read: dict[str, tuple[str, ...]] = {}

    @cached_property
    def words(self) -> str:
        """All of it with the paths, lower-case, joints as blanks; lines stay lines."""
        whole = "\n".join(text for name in self._names for text in (name, *self._texts(name)))
        return JOINTS.sub(" ", whole.lower())

    def mentions(self, name: str) -> bool:
        """Whether these words stand together somewhere, however they are joined."""
        return JOINTS.sub(" ", name).strip() in self.words

    def holds(self, quote: str, source: str) -> bool:
        """Whether the quote is verbatim in the source: a path, perhaps without its extension; in any file without."""
        path = source.strip().removeprefix("./")
        named = [name for name in self._names if not path or name == path or name.startswith(f"{path}.")]
        wanted = {quote, _plain(quote)}
        return any(_occurs(each, text) for name in named for text in self._texts(name) for each in wanted)

    def _texts(self, name: str) -> tuple[str, ...]:
        if name not in self._read:
            try:
                raw = self._bundle.read_bytes(name).decode("utf-8", "replace")
            except BadBundle:
                raw = ""  # what cannot be read names nothing
            self._read[name] = (*dict.fromkeys((raw, _plain(raw))), *_values(name, raw))
        return self._read[name]


def _values(name: str, raw: str) -> Iterator[str]:
    """The strings in JSON, which a report quotes without their escapes."""
    path = PurePosixPath(name)
    kind = PurePosixPath(path.stem).suffix if path.suffix in _PACKED else path.suffix
    if kind in (".json", ".jsonl"):
        documents = raw.splitlines() if kind == ".jsonl" else [raw]
        yield "\n".join(text for document in documents for text in _strings(_parsed(document)))


def _parsed(document: str) -> Json:
    try:
        return json.loads(document)
    except ValueError:
        return None


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _plain(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def _occurs(quote: str, text: str) -> bool:
    """Long enough, or a whole line; around redactions piece by piece, in their order."""
    quote = quote.strip()
    if len(quote) >= QUOTE_LEAST and quote in text:
        return True
    pieces = _REDACTED.split(quote)
    if max(len(piece.strip()) for piece in pieces) >= QUOTE_LEAST:
        return len(pieces) > 1 and _in_order(pieces, text)
    return bool(quote) and any(_is_line(pieces, line.strip()) for line in text.splitlines())


def _in_order(pieces: list[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _is_line(pieces: list[str], line: str) -> bool:
    if len(pieces) == 1:
        return pieces[0] == line
    enough = sum(len(piece.strip()) for piece in pieces) >= REDACTED_LEAST
    return enough and line.startswith(pieces[0]) and line.endswith(pieces[-1]) and _in_order(pieces, line)
