"""What log lines say where no runbook knows them: new, bursting and error lines, and sources that fell silent."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from analysis.lines.levels import at_least
from analysis.lines.requests import request_of
from analysis.lines.timestamps import format_time
from analysis.lines.untrusted import before_prose, without_prose
from analysis.text import clip
from analysis.wording import times
from domain.codec import to_plain
from domain.entity import LIMIT, entity, kind_of, name_of
from domain.evidence import Citation, Finding, Severity
from domain.plan import Task
from domain.results import Line, Lines, Template, Templates, TextSource, TextSources

Places = set[tuple[str, int | None]]

_SEVERITY: Final = {
    "fatal": Severity.CRITICAL, "error": Severity.ERROR, "warning": Severity.WARNING, "info": Severity.INFO,
}  # fmt: skip
_OF_LEVEL: Final = {"fatal": 0.3, "error": 0.25, "warning": 0.1}
_OF_CHANGE: Final = {"new": 0.15, "burst": 0.1}
_ALERTED, _NAMED = 0.1, 0.05  # it is the alerted one's own line, or names the alerted one
_MOST_QUIET_LINES = 8  # of new lines that state no trouble
_QUOTE_LEAST, _QUOTE_MOST = 12, 300
_FRAME = re.compile(
    r'^(?:Traceback \(most recent call last\):?|\s+at \S+\(.*|\s+File ".*|goroutine \d+ \[.*|\s*\^+'
    r"|\s*(?:Tolerations:\s+)?node\.kubernetes\.io/\S+ op=\w+.*)$"  # what a described pod bears with is no trouble
)
_STAMP = re.compile(
    r"^[\[(<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?|[A-Z][a-z]{2} +\d{1,2} )?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z| UTC| ?[+-]\d\d:?\d\d)?[\])>]?\s*"
)
_OWNER = re.compile(
    r'"(?:pod|pod_name|kubernetes\.pod_name)"\s*:\s*"(?P<pod>[\w.-]+)"|\b[Pp]od/(?P<pod_>[a-z0-9][a-z0-9.-]+)'
    r'|"(?:container|container_name)"\s*:\s*"(?P<container>[\w.-]+)"|"(?:service|service\.name)"\s*:\s*"(?P<service>[\w.-]+)"'
)
_SAID = re.compile(r'"(?:msg|message|log|error|err|event|body)"\s*:\s*"((?:[^"\\]|\\.)+)"')
_TROUBLE = re.compile(
    r"\b(?:undefined|not (?:found|set|defined|allowed|permitted)|missing|unable to|cannot|can't|could not|failed"
    r"|failure|denied|refused|unreachable|timed out|no such|out of (?:memory|space)|exhausted|expired"
    r"|invalid|unknown|aborted|killed|exiting)\b",
    re.IGNORECASE,
)
_SERVER = re.compile(
    r"[-_](?:db|database|postgres(?:ql)?|pg|mysql|mariadb|mongo(?:db)?|redis|valkey|cache|memcached|rabbitmq|mq|broker"
    r"|kafka|zookeeper|elasticsearch|opensearch|proxy|nginx|haproxy|traefik|caddy)"
)
_SERVERS_OWN = re.compile(  # `error.log` alone is any server's
    r"(?i)(?=rds|aurora|postgres|mysql|mariadb|oracle|mssql|sqlserver)(?:rds[-_])?(?:aurora[-_]?)?(?:postgres(?:ql)?|mysql|mariadb|oracle|mssql|sqlserver)?"
    r"(?:[-_.]?(?:error(?:log)?|slow(?:query|[-_]query)?|general|alert|audit|listener|log))?"
)
_SHORT_LINES = 30
_REGULAR_LINES, _REGULAR_TIMES, _SILENT_LEAST = 20, 20, timedelta(seconds=60)
_SKIPPED_WORDS = frozenset({"pod", "log", "logs", "the", "app", "service", "server", "data", "prod", "test"})
_OF_REQUEST: Final = 0.2  # it tells how a request ended, not why


def of_templates(task: Task, results: Iterable[tuple[str, Templates]], cited: Places) -> list[Finding]:
    """One finding for each telling message that no other finding cites; the same in a second capture is left out."""
    found: dict[tuple[str, str], Finding] = {}
    quiet = 0
    for call_id, result in results:
        for each in result.templates:
            if (each.source, each.sample.line or None) in cited or not _is_telling(task, each):
                continue
            quiet += not at_least(each.level, "warning")
            if quiet > _MOST_QUIET_LINES and not at_least(each.level, "warning"):
                continue
            finding = _of_template(task, each, call_id)
            found.setdefault((finding.entity, _shape(each.sample.text)), finding)
    return list(found.values())


def of_searches(task: Task, results: Iterable[tuple[str, Lines]], cited: Places) -> list[Finding]:
    """Warnings and errors that only a closer look showed, also those of programs that state no level."""
    found: dict[str, Finding] = {}
    for call_id, result in results:
        for line in result.lines:
            if (line.source, line.line) in cited or _FRAME.match(line.text) or not _tells_trouble(line):
                continue
            kind = "log.new" if line.level == "warning" else "log.error"
            statement = f"{line.source} says: {message(line.text)}"
            level = line.level or "warning"
            found.setdefault(_shape(line.text), _finding(task, line, level, kind, statement, call_id, 0.0))
    return list(found.values())


def silent(task: Task, listed: TextSources, call_id: str, searches: Iterable[tuple[str, Lines]]) -> list[Finding]:
    """One finding for each source that was regular and then stopped, with its last words where they were read."""
    last = {line.source: (search_id, line) for search_id, found in searches for line in found.lines}
    findings: list[Finding] = []
    places = {source.name: at for at, source in enumerate(listed.sources)}
    for source in silent_sources(task, listed.sources):
        assert source.last is not None
        at = format_time(source.last)
        cited = [
            Citation(call_id, source.name, path=f"/sources/{places[source.name]}/last", value=to_plain(source.last))
        ]
        statement = f"{source.name} wrote {source.lines} lines and then nothing after {at}"
        if source.name in last:
            search_id, line = last[source.name]
            cited.append(Citation(search_id, line.source, line.line or None, _quote(line.text)))
            statement += f"; its last line: {message(line.text)}"
        finding = Finding(
            entity_of(task, source.name), "log.gap", statement, tuple(cited), onset=source.last, resolution_seconds=1.0,
            severity=Severity.WARNING, weight=0.3,
        )  # fmt: skip
        findings.append(finding)
    return findings


def silent_sources(task: Task, sources: Iterable[TextSource]) -> list[TextSource]:
    """Logs that wrote regularly within the window and then stopped well before the others."""
    logs = [source for source in sources if source.kind == "log"]
    end = max((source.last for source in logs if source.last is not None), default=task.window.end)
    return [source for source in logs if _fell_silent(task, source, end)]


def sources_of(task: Task, sources: Iterable[TextSource]) -> list[TextSource]:
    """The sources whose names name an alerted entity."""
    return [source for source in sources if _is_alerted(task, source.name)]


def short_captures(sources: Iterable[TextSource]) -> list[TextSource]:
    """Captured logs of a few lines: all that a program said before it ended."""
    return [
        source
        for source in sources
        if source.kind == "artifact" and "log" in source.name.lower() and 0 < (source.lines or 0) <= _SHORT_LINES
    ]


def entity_of(task: Task, source: str, text: str = "", owner: str = "") -> str:
    """Whose text it is: the alerted entity that the path names, else whom the line names as its own, else the file.

    The captures of an incident are taken of what alerted, so that an unnamed one is about that. Where the capture
    tells the `owner` (the pod whose log was read, the node it ran on), it is he, or the alerted one that he belongs to.
    """
    if owner:
        return next((alerted for alerted in task.entities if _belongs(owner, alerted)), owner)
    for alerted in task.entities:
        if _names(source, alerted) and not _is_of_its_server(source, alerted):
            return alerted
    if named := _OWNER.search(text):
        kind, name = next((kind, name) for kind, name in named.groupdict().items() if name)
        return entity(kind.rstrip("_"), name)
    if source.startswith("artifacts/") and task.entities:
        return next((alerted for alerted in task.entities if _names(text, alerted)), task.entities[0])
    stem = source.rpartition("/")[2].partition(".")[0].strip() or "unknown"
    if _SERVERS_OWN.fullmatch(stem) and task.entities and kind_of(task.entities[0]) == "database":
        return task.entities[0]  # the exported log of a managed database bears its engine's name
    return entity("service", stem[:LIMIT])


def _belongs(owner: str, alerted: str) -> bool:
    """Whether it is the alerted one, or a pod or container that bears its name; a pod's name begins with it."""
    name, of = name_of(owner), name_of(alerted)
    if kind_of(owner) == "pod" and not name.lower().startswith(of.lower()):
        return False
    return _names(name, alerted) and not _is_of_its_server(f"/{name}", alerted)


def _is_of_its_server(source: str, alerted: str) -> bool:
    """Whether the log is that of a server beside the alerted one: `logs/shop-db.log` for shop."""
    name, stem = name_of(alerted).lower(), source.rpartition("/")[2].partition(".")[0].lower()
    return stem.startswith(name) and _SERVER.fullmatch(stem[len(name) :]) is not None


def _of_template(task: Task, each: Template, call_id: str) -> Finding:
    said = message(each.sample.text)
    if each.change == "new":
        kind, how = "log.new", f"says since {_clock(each)} ({times(each.after)}), and never before"
    elif each.change == "burst":
        kind, how = "log.burst", f"says far more often since {_clock(each)} ({times(each.after)}, {each.before} before)"
    else:
        kind, how = "log.error", f"says {each.count} times" if each.count > 1 else "says"
    statement = f"{each.source} {how}: {said}"
    return _finding(task, each.sample, each.level, kind, statement, call_id, _OF_CHANGE.get(each.change, 0.0), each)


def _finding(
    task: Task, line: Line, level: str | None, kind: str, statement: str, call_id: str, extra: float,
    template: Template | None = None,
) -> Finding:  # fmt: skip
    about = entity_of(task, line.source, line.text)
    weight = 0.1 + _OF_LEVEL.get(level or "", 0.0) + extra
    if about in task.entities:
        weight += _ALERTED
    elif any(_names(line.text, alerted) for alerted in task.entities):
        weight += _NAMED
    if request_of(line.text):
        kind, weight = "log.error", min(weight, _OF_REQUEST)
    return Finding(
        entity=about, kind=kind, statement=clip(statement, 400),
        citations=(Citation(call_id, line.source, line.line or None, _quote(line.text)),),
        onset=template.first if template else line.at, resolution_seconds=1.0,
        severity=_SEVERITY.get(level or "info", Severity.INFO), weight=round(min(weight, 0.6), 2),
    )  # fmt: skip


def _fell_silent(task: Task, source: TextSource, end: datetime) -> bool:
    if source.first is None or source.last is None or not source.lines or source.lines < _REGULAR_LINES:
        return False
    span = source.last - source.first
    usual = max(_SILENT_LEAST, span / source.lines * _REGULAR_TIMES, span / 10)
    return source.last >= task.window.start and end - source.last > usual


def _is_telling(task: Task, each: Template) -> bool:
    """No stack frame, nothing that went, and of lines without trouble only new ones of the alerted entity."""
    text = each.sample.text
    if each.change == "gone" or _FRAME.match(text):
        return False
    return at_least(each.level, "warning") or (not text[:1].isspace() and _is_alerted(task, each.source))


def _tells_trouble(line: Line) -> bool:
    return at_least(line.level, "warning") or (line.level is None and _TROUBLE.search(line.text) is not None)


def _shape(text: str) -> str:
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "0", message(text))


def _is_alerted(task: Task, source: str) -> bool:
    return any(_names(source, alerted) for alerted in task.entities)


def _names(text: str, alerted: str) -> bool:
    name = name_of(alerted).lower()
    if len(name) < 3 or name in _SKIPPED_WORDS:
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text.lower()) is not None


def message(text: str) -> str:
    """What the line says, without its stamp and short; of a JSON line its message. A stranger's prose is not said."""
    text = without_prose(text)
    if text.startswith("{") and (said := _SAID.search(text)):
        return clip(" ".join(said[1].split()), 240)
    return clip(" ".join(_STAMP.sub("", text.strip(), count=1).split()), 240)


def _quote(text: str) -> str:
    """A part of the line that is verbatim: what it says, unless that is too short to cite."""
    text = text.strip()
    said = _SAID.search(text) if text.startswith("{") else None
    message = said[0] if said else _STAMP.sub("", text, count=1)
    kept = before_prose(message if len(message) >= _QUOTE_LEAST else text, _QUOTE_LEAST)
    return (kept or message[:_QUOTE_LEAST])[:_QUOTE_MOST].strip()


def _clock(each: Template) -> str:
    return format_time(each.first) if each.first else "an unknown time"
