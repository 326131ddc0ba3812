"""Which ports programs say they opened: what a probe or a service asks of them can be told to be another one."""

from collections.abc import Iterator
from typing import Final

from domain.entity import kind_of
from domain.evidence import LISTENS, Citation, Finding, Severity
from domain.results import SignatureHits

_ID: Final = "opens.port"
# "Server listening at http://0.0.0.0:3000", "Tomcat started on port 8080 (http)", "Listening and serving HTTP on :80",
# "Now listening on: http://[::]:8080", "* Running on http://127.0.0.1:5000", `msg="Listening on" address=[::]:9090`
_OPENS: Final = (
    r"(?i)\b(?:listening|serving|running|started|bound)\b.{0,60}?"
    r'(?:\bports?(?:\(s\))?[ :=]+|(?:\b0\.0\.0\.0|\b127\.0\.0\.1|\blocalhost|\[?::\]?|\*|[ "=({]):)(?P<port>\d{2,5})\b'
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
        line = next(iter(zip(hit.lines, hit.spans, strict=False)), None)
        for port in dict.fromkeys(each["port"] for each in hit.captures if each.get("port")):
            cited = (Citation(call_id, hit.source, line[0].line, line[1]),) if line else ()
            told = f"{hit.entity} says that it listens on port {port}"
            yield Finding(
                hit.entity, LISTENS, told, cited, hit.first, severity=Severity.INFO, weight=0.0, captures={"port": port}
            )
