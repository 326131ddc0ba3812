"""A transaction that now spans a call to somebody else: its connection is held for as long as the other takes."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

_OPENS: Final = re.compile(
    r"@Transactional\b|@transaction\.atomic\b|\btransaction\.atomic\(|\bwith\s+[\w.]*(?:begin|transaction|atomic)\b|"
    r"\b(?:tx|transaction\w*|transactionTemplate)\.(?:execute|run|inTransaction)\b|\$transaction\(|"
    r"\bwithTransaction\w*\(|"
    r"\brun_?in_?transaction\w*\(|\.transaction\s*(?:do\b|\(|\{)|\bBeginTxx?\(|\.Begin\(|"
    r"begin_?transaction\w*\(|\binTransaction\s*[({]|"
    r"\btransaction\s*\{",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"(?i)\b(?:commit|rollback)\s*\(")
_DECLARED: Final = re.compile(  # names of a client's type, either way round
    r"\b(?P<a>[a-z]\w*)\s*:\s*\w*(?:Client|Api|Gateway|Stub|RestTemplate|WebClient|Sdk|Publisher|Producer|Mailer)\b|"
    r"\b\*?\w*(?:Client|Api|Gateway|Stub|RestTemplate|WebClient|Sdk|Publisher|Producer|Mailer)\s+(?P<b>[a-z]\w*)\b"
)
_REMOTE: Final = re.compile(
    r"\b(?:requests|httpx|axios|aiohttp|urllib\w*|http|https|fetch|grpc|boto3|stripe|smtplib|Net::HTTP|Faraday|"
    r"RestClient)\s*(?:\.\s*\w+\s*)?\(|"
    r"\b(?:restTemplate|webClient|httpClient|\w*(?:Client|_client|Gateway|_gateway|Api|_api|Stub|_stub|mailer|"
    r"Mailer))\s*\.\s*\w+\s*\("
)
_COMMITTED: Final = re.compile(r"(?i)on_?commit|after_?commit|TransactionalEventListener|outbox")


def spans_a_call(diff: str) -> Iterator[Effect]:
    """The call to another service that now runs inside a transaction and did not before."""
    clients = {found["a"] or found["b"] for found in _DECLARED.finditer(diff)}
    for hunk in re.split(r"^@@.*$", diff, flags=re.MULTILINE):
        lines = hunk.splitlines()
        old = [line[1:].expandtabs(4) for line in lines if line[:1] in ("-", " ", "\t") and line[:3] != "---"]
        new = [line[1:].expandtabs(4) for line in lines if line[:1] in ("+", " ", "\t") and line[:3] != "+++"]
        inside = set(_inside(new, clients)) - set(_inside(old, clients))
        called = "\n".join(old)
        if inside and not _COMMITTED.search("\n".join(new)):
            name = min(inside)
            moved = "" if name in called else "new "
            why = f"holds a transaction and its database connection open during the {moved}remote call {name}"
            yield Effect(1.75, why, (name.lower(),), "holds", calls=False)
            return


def _inside(code: list[str], clients: set[str]) -> Iterator[str]:
    """The remote calls within transactions."""
    for at, line in enumerate(code):
        if _OPENS.search(line):
            for inner in _body(code, at):
                yield from _calls(inner, clients)


def _body(code: list[str], at: int) -> list[str]:
    """The lines that the transaction opened at this line lasts for."""
    depth, deeper = _depth(code[at]), False
    found: list[str] = []
    begins = re.search(r"(?i)\bbegin\w*\(", code[at]) is not None and not code[at].rstrip().endswith((":", "{"))
    for line in code[at + 1 :]:
        if not line.strip():
            continue
        if (begins and _ENDS.search(line)) or _depth(line) < depth or (deeper and not begins and _depth(line) == depth):
            break
        if not begins and not deeper and _depth(line) == depth and not code[at].lstrip().startswith("@"):
            break
        deeper = deeper or _depth(line) > depth
        found.append(line)
    return [*([code[at].partition("{")[2]] if "{" in code[at] else []), *found]


def _calls(line: str, clients: set[str]) -> Iterator[str]:
    if found := _REMOTE.search(line):
        yield found.group().rstrip("( ")
    for name in sorted(clients):
        if found := re.search(rf"\b{re.escape(name)}\s*\.\s*\w+(?=\s*\()", line):
            yield found.group()


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
