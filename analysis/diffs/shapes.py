"""Shapes in a diff that are known to hurt although nothing looks taken away: a call per item, another key."""

import re
from typing import Final

# Over items: a loop without an end is the life of a worker.
_LOOP: Final = re.compile(
    r"^(?:for|foreach)\b(?!\s*(?:\{|\(;;\)))|^while\b(?!\s*\(?(?:true|1)\b)|\.(?:forEach|each|map|flatMap)\(|"
    r"\bfor\s+\w+(?:,\s*\w+)?\s+in\b",
    re.IGNORECASE,
)
# What leaves the process: a call with a context, one that is awaited, or one that is named like a query.
_ASKS: Final = re.compile(
    r"\b(?P<ctx>\w+)\((?:ctx|context|c\.Context)\b|\bawait\s+(?:\w+\.)*(?P<awaited>\w+)\(|"
    r"\b(?P<named>(?:get|find|fetch|load|lookup|query|select|read|count)_?\w*(?:By_?Id|_by_id|_for|For|One|Row)?)\(",
    re.IGNORECASE,
)
_INNER: Final = re.compile(r"^(?:get|find|load|read|count|select)$|^(?:getattr|getenv|readline|loads)$", re.IGNORECASE)
_KEYED: Final = re.compile(r"cache|\b\w*key\w*\b", re.IGNORECASE)
_JOINS: Final = re.compile(
    r"""["'`]\s*(?:\+|,|\.|%)|(?:\+|,)\s*["'`]|\$\{|\{\w|%[sdv]|\bjoin\(|format\(""", re.IGNORECASE
)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_UNIQUE: Final = re.compile(
    r"(?:request|req|trace|span|correlation|session)_?id|uuid\w*|nonce|timestamp|\bnow\b|unixnano|rand(?:om)?\w*",
    re.IGNORECASE,
)
_TELLS_APART: Final = re.compile(
    r"\w*(?:tenant|account|customer|user|locale|lang|language|currency|region|country|version|org|shop|store)\w*",
    re.IGNORECASE,
)


def repeated(diff: str) -> str | None:
    """The call that an added line makes inside a loop and no removed line made there."""
    loop: int | None = None  # how far the loop that is open is indented
    gone = "\n".join(line[1:] for line in diff.splitlines() if line.startswith("-"))
    for line in diff.splitlines():
        if line[:1] not in (" ", "+", "\t"):
            loop = None if line.startswith("@@") else loop
            continue
        code = line[1:].expandtabs(4) if line[:1] != "\t" else line.expandtabs(4)
        depth = len(code) - len(code.lstrip())
        if loop is not None and code.strip() and depth <= loop:
            loop = None
        if line.startswith("+") and loop is not None and (call := _asked(code)) and f"{call}(" not in gone:
            return call
        if loop is None and _LOOP.search(code.strip()):
            loop = depth
    return None


def _asked(code: str) -> str | None:
    match = _ASKS.search(code)
    name = next((text for text in match.groups() if text), None) if match else None
    return None if name is None or _INNER.search(name) else name


def changed_key_word(diff: str) -> tuple[str, bool] | None:
    """The part of a key that came (True) or went (False): one that is new each time, or one that told things apart."""
    removed = [line[1:] for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    added = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    heads = "\n".join(line for line in diff.splitlines() if line.startswith("@@"))
    old, new = _parts(removed, heads), _parts(added, heads)
    if not old or not new:
        return None
    came = next((word for word in sorted(new - old) if _UNIQUE.fullmatch(word)), None)
    if came:
        return came, True
    went = next((word for word in sorted(old - new) if _TELLS_APART.fullmatch(word)), None)
    return (went, False) if went and not any(_TELLS_APART.fullmatch(word) for word in new - old) else None


def _parts(lines: list[str], heads: str) -> set[str]:
    """The words of the lines that put a key together."""
    return {
        word
        for line in lines
        if _JOINS.search(line) and (_KEYED.search(line) or _KEYED.search(heads))
        for word in _WORD.findall(line)
    }
