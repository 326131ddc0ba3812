"""vault status and bao status, and the seal status of their API: whether a store of secrets is open."""

import re
from typing import Final

from analysis.captures.addressed import target_entity
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import documents
from domain.facts import Fact

_PAIR: Final = re.compile(r"^(?P<key>[A-Z]\w*(?: [A-Z]\w*)*)\s{2,}(?P<value>\S.*)$")
_KEYS: Final = {
    "Seal Type": "type", "Sealed": "sealed", "Initialized": "initialized", "Unseal Progress": "progress",
    "Threshold": "t", "Total Shares": "n", "Version": "version",
}  # fmt: skip


def parse(text: str, context: Context) -> list[Fact]:
    """One fact of the store; the quote is the line that says whether it is sealed."""
    told, line = _table(text, context)
    for document in documents(text):
        if isinstance(document, dict) and "sealed" in document:
            told = {key: str(value).lower() for key, value in document.items()}
            line = next((each for each in context.lines(text) if '"sealed"' in each.text), None)
    if "sealed" not in told:
        return []
    status = "sealed" if told["sealed"] == "true" else "unsealed"
    return [
        context.fact("cluster", _store(context), line, name=told.get("type"), status=status, message=_message(told))
    ]


def _store(context: Context) -> str:
    """Who answered: the server of the address that was asked, else where the command ran."""
    url = next((word for word in context.command.words if "://" in word), "")
    asked = url or context.command.value("-address", "--address")
    return target_entity(asked, context) if asked else context.command.inside or safe_entity("service", "vault")


def _table(text: str, context: Context) -> tuple[dict[str, str], Line | None]:
    told: dict[str, str] = {}
    telling = None
    for line in context.lines(text):
        if (match := _PAIR.match(line.text)) and match["key"] in _KEYS:
            told[_KEYS[match["key"]]] = match["value"].strip().lower()
            telling = line if match["key"] == "Sealed" else telling
    return told, telling


def _message(told: dict[str, str]) -> str:
    progress = told.get("progress", "0").partition("/")[0]
    needed = told.get("t", "0")
    return f"{progress} of {needed} unseal keys given" if needed != "0" else ""


PARSERS: Final = (
    Parser(
        "vault status",
        parse,
        ("vault status", "bao status", "vault operator", "bao operator"),
        looks=re.compile(
            r'\AKey\s+Value\n---\s+-----\n(?:Recovery )?Seal Type\s|^\s*\{?"type":\s*"\w+",\s*"initialized":',
            re.MULTILINE,
        ),
    ),
)
