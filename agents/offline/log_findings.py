"""What log lines say where no runbook knows them: new, bursting and error lines, and sources that fell silent."""

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from analysis.levels import at_least
from analysis.text import clip
from analysis.timestamps import format_time
from domain.codec import to_plain
from domain.entity import LIMIT, entity, name_of
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
_FRAME = re.compile(r'^(?:Traceback \(most recent call last\):?|\s+at \S+\(.*|\s+File ".*|goroutine \d+ \[.*|\s*\^+)$')
_STAMP = re.compile(
    r"^[\[(<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?|[A-Z][a-z]{2} +\d{1,2} )?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z| UTC| ?[+-]\d\d:?\d\d)?[\])>]?\s*"
)
_REGULAR_LINES, _REGULAR_TIMES, _SILENT_LEAST = 20, 20, timedelta(seconds=60)
_SKIPPED_WORDS = frozenset({"pod", "log", "logs", "the", "app", "service", "server", "data", "prod", "test"})


def of_templates(task: Task, results: Iterable[tuple[str, Templates]], cited: Places) -> list[Finding]:
    """One finding for each telling template whose sample no other finding cites."""
    found: list[Finding] = []
    quiet = 0
    for call_id, result in results:
        for each in result.templates:
            place = (each.source, each.sample.line or None)
            if place in cited or each.change == "gone" or _FRAME.match(each.sample.text):
                continue
            if not at_least(each.level, "warning"):
                quiet += 1
                if quiet > _MOST_QUIET_LINES or not _is_alerted(task, each.source):
                    continue
            found.append(_of_template(task, each, call_id))
    return found


def of_searches(task: Task, results: Iterable[tuple[str, Lines]], cited: Places) -> list[Finding]:
    """Warnings and errors that only a closer look showed."""
    found: dict[str, Finding] = {}
    for call_id, result in results:
        for line in result.lines:
            message = _message(line.text)
            if (
                at_least(line.level, "warning")
                and (line.source, line.line) not in cited
                and not _FRAME.match(line.text)
            ):
                kind = "log.error" if at_least(line.level, "error") else "log.new"
                statement = f"{line.source} says: {message}"
                shape = re.sub(r"\d+", "0", statement)
                found.setdefault(shape, _finding(task, line, line.level, kind, statement, call_id, 0.0))
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
            statement += f"; its last line: {_message(line.text)}"
        finding = Finding(
            entity_of(task, source.name), "log.gap", statement, tuple(cited), onset=source.last, resolution_seconds=1.0,
            severity=Severity.WARNING, weight=0.3,
        )  # fmt: skip
        findings.append(finding)
    return findings


def silent_sources(task: Task, sources: Iterable[TextSource]) -> list[TextSource]:
    """Logs that wrote regularly within the window and then stopped well before its end."""
    return [source for source in sources if source.kind == "log" and _fell_silent(task, source)]


def sources_of(task: Task, sources: Iterable[TextSource]) -> list[TextSource]:
    """The sources whose names name an alerted entity."""
    return [source for source in sources if _is_alerted(task, source.name)]


def entity_of(task: Task, source: str, text: str = "") -> str:
    """Whose text it is: the alerted entity that the path or line names, else the service that the file is named after.

    The captures of an incident are taken of what alerted, so that an unnamed one is about that.
    """
    for alerted in task.entities:
        if _names(source, alerted):
            return alerted
    if source.startswith("artifacts/") and task.entities:
        return next((alerted for alerted in task.entities if _names(text, alerted)), task.entities[0])
    stem = source.rpartition("/")[2].partition(".")[0].strip() or "unknown"
    return entity("service", stem[:LIMIT])


def _of_template(task: Task, each: Template, call_id: str) -> Finding:
    message = _message(each.sample.text)
    if each.change == "new":
        kind, how = "log.new", f"says since {_clock(each)} ({each.after} times), and never before"
    elif each.change == "burst":
        kind, how = "log.burst", f"says far more often since {_clock(each)} ({each.after} times, {each.before} before)"
    else:
        kind, how = "log.error", f"says {each.count} times" if each.count > 1 else "says"
    statement = f"{each.source} {how}: {message}"
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
    return Finding(
        entity=about, kind=kind, statement=clip(statement, 400),
        citations=(Citation(call_id, line.source, line.line or None, _quote(line.text)),),
        onset=template.first if template else line.at, resolution_seconds=1.0,
        severity=_SEVERITY.get(level or "info", Severity.INFO), weight=round(min(weight, 0.6), 2),
    )  # fmt: skip


def _fell_silent(task: Task, source: TextSource) -> bool:
    if source.first is None or source.last is None or not source.lines or source.lines < _REGULAR_LINES:
        return False
    usual = (source.last - source.first) / source.lines
    silence = task.window.end - source.last
    return source.last >= task.window.start and silence > max(_SILENT_LEAST, usual * _REGULAR_TIMES)


def _is_alerted(task: Task, source: str) -> bool:
    return any(_names(source, alerted) for alerted in task.entities)


def _names(text: str, alerted: str) -> bool:
    name = name_of(alerted).lower()
    if len(name) < 3 or name in _SKIPPED_WORDS:
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text.lower()) is not None


def _message(text: str) -> str:
    """The line without its stamp, short."""
    return clip(" ".join(_STAMP.sub("", text.strip(), count=1).split()), 240)


def _quote(text: str) -> str:
    """A part of the line that is verbatim: what follows the stamp, unless that is too short to cite."""
    text = text.strip()
    message = _STAMP.sub("", text, count=1)
    return (message if len(message) >= _QUOTE_LEAST else text)[:_QUOTE_MOST].strip()


def _clock(each: Template) -> str:
    return format_time(each.first) if each.first else "an unknown time"
