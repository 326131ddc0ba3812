"""Which ports programs say they opened: what a probe or a service asks of them can be told to be another one."""

import re
from collections.abc import Iterator
from typing import Final

from domain.entity import kind_of
from domain.evidence import LISTENS, Citation, Finding, Severity
from domain.results import SignatureHit, SignatureHits

_ID: Final = "opens.port"
# "Server listening at http://0.0.0.0:3000", "Tomcat started on port 8080 (http)", "Listening and serving HTTP on :80",
# "Now listening on: http://[::]:8080", "* Running on http://127.0.0.1:5000", `msg="Listening on" address=[::]:9090`
_OPENS: Final = (
    r"(?i)\b(?:listening|serving|running|started|bound)\b.{0,60}?"
    r'(?:\bports?(?:\(s\))?[ :=]+|(?:\b0\.0\.0\.0|\b127\.0\.0\.1|\blocalhost|\[?::\]?|\*|[ "=({]):)(?P<port>\d{2,5})\b'
)
# "Is the server running on host db and accepting connections on port 5432?", ":8080 already in use": words of a client
# or of a failure, which open nothing.
_OPENS_NONE: Final = re.compile(
    r"(?i)connect|refused|fail|error|unable|cannot|could not|in use|already|\bnot\b|\bno\b|upstream|forward"
)
# A side door opens long before the one that is asked, or though that never opens.
_SIDE_DOOR: Final = re.compile(
    r"(?i)metric|prometheus|pprof|debug|admin|management|actuator|health|probe|telemetry|inspector|livereload"
)
_RUNS: Final = ("container", "pod", "service", "process")


def questions() -> list[dict[str, str]]:
    """The signature as `logs_match` takes it."""
    return [{"id": _ID, "pattern": _OPENS}]


def opened(hits: SignatureHits, call_id: str) -> Iterator[Finding]:
    """One finding, which only informs, for each port that a program says it listens on."""
    for hit in hits.hits:
        if hit.id != _ID or kind_of(hit.entity) not in _RUNS:
            continue
        told_by = [line for line in hit.lines if not _OPENS_NONE.search(line.text)]
        if not any(not _SIDE_DOOR.search(line.text) for line in told_by):
            continue
        line = next((pair for pair in zip(hit.lines, hit.spans, strict=False) if pair[0] in told_by), None)
        for port in dict.fromkeys(_ports(hit)):
            cited = (Citation(call_id, hit.source, line[0].line, line[1]),) if line else ()
            told = f"{hit.entity} says that it listens on port {port}"
            yield Finding(
                hit.entity, LISTENS, told, cited, hit.first, severity=Severity.INFO, weight=0.0, captures={"port": port}
            )


def _ports(hit: SignatureHit) -> Iterator[str]:
    """The ports of the lines that open one; only the first lines are shown, of the others their ports alone."""
    for at, each in enumerate(hit.captures):
        opens = at >= len(hit.lines) or not _OPENS_NONE.search(hit.lines[at].text)
        if opens and each.get("port"):
            yield each["port"]
